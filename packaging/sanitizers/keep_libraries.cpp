// Linked into sanitized programs that open a display: libraries stay loaded to the end. Mesa's driver is unloaded with the display otherwise,
// and what it keeps then is a leak of nobody, which no suppression can name.
extern "C" int dlclose(void*) {
  return 0;
}
