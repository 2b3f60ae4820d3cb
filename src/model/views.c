#include "model/views.h"

#include <string.h>

#define BLANKS " \t\r\n"

bool sn_next_view(const char **at, snNamedView *view)
{
    static const char axes[] = "xyz";
    const char *text = *at + strspn(*at, BLANKS);
    size_t all = strcspn(text, BLANKS), name = strcspn(text, "=" BLANKS);
    const char *axis = all == name + 3 && text[all - 1] ? strchr(axes, text[all - 1]) : NULL;
    *at = text;
    if (name == 0 || name >= sizeof view->name || !axis || text[name] != '=') return false;
    if (text[name + 1] != '+' && text[name + 1] != '-') return false;
    memcpy(view->name, text, name);
    view->name[name] = '\0';
    view->axis = (int)(axis - axes);
    view->sign = text[name + 1] == '+' ? 1 : -1;
    *at = text + all;
    return true;
}
