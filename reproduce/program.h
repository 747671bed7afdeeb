/* gersh-reproduce without its main(), so that tests can run it. */
#ifndef GERSH_REPRODUCE_PROGRAM_H
#define GERSH_REPRODUCE_PROGRAM_H

/* Returns the exit status: 0 done, 1 bad input or use, 2 internal failure, 130 interrupted. */
int repro_program(int argc, char **argv);

#endif
