// The headers from C++: the library's names must have C linkage.
#include <gersh/gersh.h>

int main()
{
    gersh_settings *settings = nullptr;
    if (gersh_settings_new(&settings) != GERSH_OK)
        return 1;
    gersh_settings_free(settings);
    return 0;
}
