#include <ruby.h>
void Init_holdup(void) {}
