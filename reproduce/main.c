#include "program.h"

int main(int argc, char **argv)
{
    return repro_program(argc, argv);
}
