// libpng ends each failure with a jump, which must not pass over the frames of Swift: each step has a
// frame of C around it that the jump returns to, and Swift calls nothing else.
#pragma once
#include <png.h>
#include <setjmp.h>
#include <string.h>

typedef struct {
  png_structp png;
  png_infop info;
  const unsigned char *bytes;
  size_t count;
  size_t place;
  png_uint_32 width;
  png_uint_32 height;
  int has_alpha;
  int is_interlaced;
  char message[96];
} freshet_png;

static inline void freshet_png_fail(png_structp png, png_const_charp message) {
  freshet_png *file = (freshet_png *)png_get_error_ptr(png);
  strncpy(file->message, message, sizeof file->message - 1);
  png_longjmp(png, 1);
}

static inline void freshet_png_warn(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static inline void freshet_png_read(png_structp png, png_bytep target, size_t count) {
  freshet_png *file = (freshet_png *)png_get_io_ptr(png);
  if (count > file->count - file->place) png_error(png, "it ends too early");
  memcpy(target, file->bytes + file->place, count);
  file->place += count;
}

// Reads up to the pixels and allocates nothing for them. What has a colour profile has no gamma.
static inline int freshet_png_begin(
    freshet_png *file, const unsigned char *bytes, size_t count, int has_profile) {
  static const png_byte skipped[] =
      "iCCP\0eXIf\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0sCAL\0sPLT\0tEXt\0tIME\0zTXt\0gAMA\0cHRM\0sRGB";
  file->bytes = bytes;
  file->count = count;
  file->png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, file, freshet_png_fail, freshet_png_warn);
  if (!file->png) return 0;
  if (setjmp(png_jmpbuf(file->png))) return 0;
  file->info = png_create_info_struct(file->png);
  if (!file->info) return 0;
  png_set_read_fn(file->png, file, freshet_png_read);
  png_set_user_limits(file->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
#ifdef PNG_HANDLE_AS_UNKNOWN_SUPPORTED
  png_set_keep_unknown_chunks(
      file->png, PNG_HANDLE_CHUNK_NEVER, skipped, has_profile ? 15 : 12);
#endif
  png_read_info(file->png, file->info);
  file->width = png_get_image_width(file->png, file->info);
  file->height = png_get_image_height(file->png, file->info);
  file->has_alpha = (png_get_color_type(file->png, file->info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                    png_get_valid(file->png, file->info, PNG_INFO_tRNS) != 0;
  file->is_interlaced =
      png_get_interlace_type(file->png, file->info) != PNG_INTERLACE_NONE;
  return 1;
}

// Only inside of a frame that has called setjmp. Red, green, blue and alpha, a byte each.
static inline int freshet_png_prepare(freshet_png *file) {
  png_set_alpha_mode(file->png, PNG_ALPHA_PNG, PNG_DEFAULT_sRGB);
  png_set_expand(file->png);
  png_set_scale_16(file->png);
  png_set_gray_to_rgb(file->png);
  if (!file->has_alpha) png_set_add_alpha(file->png, 0xFF, PNG_FILLER_AFTER);
  int passes = png_set_interlace_handling(file->png);
  png_read_update_info(file->png, file->info);
  if (png_get_rowbytes(file->png, file->info) != (size_t)file->width * 4)
    png_error(file->png, "its pixels cannot be brought to four bytes");
  return passes;
}

// Reads a picture that is not interlaced into one row again and again, and hands each on, until that
// returns 0.
static inline int freshet_png_rows(
    freshet_png *file, unsigned char *row, void *context, int (*take)(void *context)) {
  if (setjmp(png_jmpbuf(file->png))) return 0;
  freshet_png_prepare(file);
  for (png_uint_32 y = 0; y < file->height; y++) {
    png_read_row(file->png, row, NULL);
    if (!take(context)) return 0;
  }
  return 1;
}

// Reads the whole picture, until a row for which `goes_on` returns 0.
static inline int freshet_png_whole(
    freshet_png *file, unsigned char *pixels, void *context, int (*goes_on)(void *context)) {
  if (setjmp(png_jmpbuf(file->png))) return 0;
  int passes = freshet_png_prepare(file);
  for (int pass = 0; pass < passes; pass++)
    for (png_uint_32 y = 0; y < file->height; y++) {
      if (!goes_on(context)) return 0;
      png_read_row(file->png, pixels + (size_t)y * file->width * 4, NULL);
    }
  return 1;
}

static inline void freshet_png_end(freshet_png *file) {
  if (file->png) png_destroy_read_struct(&file->png, &file->info, NULL);
}
