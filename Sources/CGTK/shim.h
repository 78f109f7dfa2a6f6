#include <glib-unix.h>
#include <gtk/gtk.h>
#include <sys/eventfd.h>

// What CoreFoundation uses as well to let another loop run the main queue of libdispatch.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);
