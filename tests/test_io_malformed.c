/*
 * Files that are not as they should be: each one's status and whole sentence. "FILE" in a sentence stands
 * for the path of the file, "LABELS" for that of the labels' file.
 */
#include "io_support.h"

#define BYTES(text) text, sizeof(text) - 1
#define ARFF "@relation r\n@attribute a numeric\n@attribute c {x,y}\n"
#define NPY(version, length, text) "\x93NUMPY" version length text
#define INPUT GERSH_ERROR_INPUT
#define ARGUMENT GERSH_ERROR_ARGUMENT

typedef struct malformed {
    const char *name;
    const char *content;
    size_t size;
    const char *settings;
    gersh_status status;
    const char *message; /* NULL: the file is valid */
} malformed;

static const malformed text_cases[] = {
    {"empty file", BYTES(""), NULL, INPUT, "FILE: is empty"},
    {"only a mark", BYTES("\xEF\xBB\xBF"), NULL, INPUT, "FILE: is empty"},
    {"only blank lines", BYTES("\n \r\n\t\n"), NULL, INPUT,
     "FILE: has no rows, only blank lines and comments"},
    {"only comments", BYTES("# a,b\n# 1,2\n"), NULL, INPUT,
     "FILE: has no rows, only blank lines and comments"},
    {"UTF-16, little", BYTES("\xFF\xFE\x31\0\x2C\0"), NULL, INPUT,
     "FILE: is encoded as UTF-16; convert it to UTF-8"},
    {"UTF-16, big", BYTES("\xFE\xFF\0\x31\0\x2C"), NULL, INPUT,
     "FILE: is encoded as UTF-16; convert it to UTF-8"},
    {"UTF-32, little", BYTES("\xFF\xFE\0\0\x31\0\0\0"), NULL, INPUT,
     "FILE: is encoded as UTF-32; convert it to UTF-8"},
    {"UTF-32, big", BYTES("\0\0\xFE\xFF\0\0\0\x31"), NULL, INPUT,
     "FILE: is encoded as UTF-32; convert it to UTF-8"},
    {"NUL", BYTES("1,2\n3,\0004\n"), NULL, INPUT,
     "FILE: line 2: byte 3 of the line is NUL, so this is not a text file"},
    {"NUL in quotes after CRLF", BYTES("1,2\r\n3,5\r\n\"a\0b\",1\r\n"), NULL, INPUT,
     "FILE: line 3: byte 3 of the line is NUL, so this is not a text file"},
    {"row too short", BYTES("1,2,3,4,a\n1,2,3,4,b\n1,2,3,b\n"), NULL, INPUT,
     "FILE: line 3: 4 fields where line 1 has 5"},
    {"row too long", BYTES("# c\nx,y\n1,a\n1,2,b\n"), NULL, INPUT,
     "FILE: line 4: 3 fields where line 2 has 2"},
    {"row of one field", BYTES("1,a\n1\n2,b\n"), NULL, INPUT, "FILE: line 2: 1 field where line 1 has 2"},
    {"header too short", BYTES("x,y\n1,2,a\n2,3,b\n"), NULL, INPUT,
     "FILE: line 2: 3 fields where line 1 has 2"},
    {"ragged, CRLF", BYTES("1;2\r\n3;4;5\r\n"), NULL, INPUT, "FILE: line 2: 3 fields where line 1 has 2"},
    {"ragged blanks", BYTES("1 2 a\n3 4  \n"), NULL, INPUT, "FILE: line 2: 2 fields where line 1 has 3"},
    {"ragged, tabs", BYTES("1\t2\ta\n1\t\ta\tb\n"), "format=tsv", INPUT,
     "FILE: line 2: 4 fields where line 1 has 3"},
    {"ragged behind a quoted line end", BYTES("1,\"a\nb\"\n1\n"), NULL, INPUT,
     "FILE: line 3: 1 field where line 1 has 2"},
    {"quote not closed", BYTES("1,a\n2,\"b\n3,a\n"), NULL, INPUT,
     "FILE: line 2, column 2: the quote that opens this field is never closed"},
    {"second quote of a row not closed", BYTES("\"a\nb\",\"c\n1,2\n"), "format=csv", INPUT,
     "FILE: line 2, column 2: the quote that opens this field is never closed"},
    {"quote not closed in blanks", BYTES("1 2 a\n3 \"4 b\n"), "format=blank", INPUT,
     "FILE: line 2, column 2: the quote that opens this field is never closed"},
    {"quote inside a field", BYTES("1,a\n2,b\"c\n"), NULL, INPUT,
     "FILE: line 2, column 2: there is a quote inside a field without quotes; put quotes around the field "
     "and write the inner quote twice"},
    {"text behind a quote", BYTES("x,y\n1,\"b\"c\n"), NULL, INPUT,
     "FILE: line 2, column 2: there is text behind a closing quote; a quote inside a quoted field is "
     "written twice"},
    {"infinite", BYTES("x,y\n1,a\n-Inf,b\n"), NULL, INPUT,
     "FILE: line 3, column 1 ('x'): '-Inf' is not finite; only finite numbers can be used"},
    {"infinity in a column without text", BYTES("1,2,a\ninfinity,3,b\n"), NULL, INPUT,
     "FILE: line 2, column 1: 'infinity' is not finite; only finite numbers can be used"},
    {"overflow", BYTES("1,2,a\n3,1e999,b\n"), NULL, INPUT,
     "FILE: line 2, column 2: '1e999' is too large; numbers go up to about 1.8e308"},
    {"overflow of digits", BYTES("1e308,a\n-999e307,b\n"), NULL, INPUT,
     "FILE: line 2, column 1: '-999e307' is too large; numbers go up to about 1.8e308"},
    {"text column", BYTES("size,color,class\n1,red,a\n2,blue,b\n"), NULL, INPUT,
     "FILE: line 2, column 2 ('color'): 'red' is not a number; use --categorical onehot for text columns, "
     "or --ignore color"},
    {"text further down", BYTES("1,2,a\n3,4,b\n5,six,b\n"), NULL, INPUT,
     "FILE: line 3, column 2: 'six' is not a number; use --categorical onehot for text columns, or "
     "--ignore 2"},
    {"decimal comma", BYTES("1,5;2;a\n2,5;3;b\n"), NULL, INPUT,
     "FILE: line 1, column 1: '1,5' has a decimal comma; write numbers with a point"},
    {"hexadecimal", BYTES("0x10,a\n2,b\n"), "header=no", INPUT,
     "FILE: line 1, column 1: '0x10' is not a number; use --categorical onehot for text columns, or "
     "--ignore 1"},
    {"two points", BYTES("1.2.3,a\n2,b\n"), "header=no", INPUT,
     "FILE: line 1, column 1: '1.2.3' is not a number; use --categorical onehot for text columns, or "
     "--ignore 1"},
    {"long text", BYTES("1,a\nqqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrt,b\n"), NULL, INPUT,
     "FILE: line 2, column 1: 'qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrr…' is not a number; use "
     "--categorical onehot for text columns, or --ignore 1"},
    {"control characters", BYTES("1,a\n\x01\xFFz,b\n"), NULL, INPUT,
     "FILE: line 2, column 1: '\\x01\\xFFz' is not a number; use --categorical onehot for text columns, or "
     "--ignore 1"},
    {"missing value", BYTES("x,y,class\n1,2,a\n3,,b\n"), NULL, INPUT,
     "FILE: line 3, column 2 ('y'): the value is missing; use --missing mean or --missing zero to fill it "
     "in"},
    {"missing value, NaN", BYTES("1,2,a\nnan,3,b\n"), "missing=error", INPUT,
     "FILE: line 2, column 1: the value is missing; use --missing mean or --missing zero to fill it in"},
    {"missing value, marked", BYTES("1 2 a\n? 3 b\n"), NULL, INPUT,
     "FILE: line 2, column 1: the value is missing; use --missing mean or --missing zero to fill it in"},
    {"trailing delimiter", BYTES("1,2,\n3,4,\n"), NULL, INPUT,
     "FILE: line 1, column 3: the label is missing; complete it or remove the row, or choose another "
     "column with --label"},
    {"column without values", BYTES("1,,a\n2,,b\n"), "missing=mean", INPUT,
     "FILE: column 2: the column has no values, so no mean; use --missing zero or --ignore 2"},
    {"missing label", BYTES("1,2,a\n3,4,?\n"), NULL, INPUT,
     "FILE: line 2, column 3: the label is missing; complete it or remove the row, or choose another "
     "column with --label"},
    {"missing label despite filling", BYTES("1,2,a\n3,4,\n"), "missing=zero", INPUT,
     "FILE: line 2, column 3: the label is missing; complete it or remove the row, or choose another "
     "column with --label"},
    {"header but no rows", BYTES("a,b,c\n"), NULL, INPUT,
     "FILE: has a header but no rows; use --header no if line 1 is data"},
    {"header asked for, no rows", BYTES("# c\n1,2,3\n"), "header=yes", INPUT,
     "FILE: has a header but no rows; use --header no if line 2 is data"},
    {"two columns of one name", BYTES("x,y,x\n1,2,a\n2,3,b\n"), NULL, INPUT,
     "FILE: columns 1 and 3 are both named 'x'; give each column its own name, or say --header no if the "
     "first line is data"},
    {"two numbers as names", BYTES("1,1\n2,3\n"), "header=yes", INPUT,
     "FILE: columns 1 and 2 are both named '1'; give each column its own name, or say --header no if the "
     "first line is data"},
    {"the place of a column without a name", BYTES("a,,x2,y\n1,2,3,a\n2,3,4,b\n"), "header=yes", INPUT,
     "FILE: features: numbers 2 and 3 have the same name, 'x2'; give each one a name of its own"},
    {"unknown label", BYTES("x,y,class\n1,2,a\n2,3,b\n"), "label=clas", ARGUMENT,
     "--label: there is no column 'clas' in FILE; did you mean 'class'?"},
    {"unknown label, nothing near", BYTES("x,y,z\n1,2,a\n2,3,b\n"), "label=target", ARGUMENT,
     "--label: there is no column 'target' in FILE; its columns are 'x', 'y', 'z'; give a name or a "
     "position from 1 to 3"},
    {"label without names", BYTES("1,2,a\n2,3,b\n"), "label=class", ARGUMENT,
     "--label: there is no column 'class' in FILE, whose columns have no names; give a position from 1 to "
     "3"},
    {"label out of range", BYTES("1,2,a\n2,3,b\n"), "label=4", ARGUMENT,
     "--label: column 4 is asked for but FILE has 3 columns"},
    {"label 0", BYTES("1,2,a\n2,3,b\n"), "label=0", ARGUMENT,
     "--label: column 0 is asked for but positions count from 1"},
    {"unknown ignored column", BYTES("size,hue,y\n1,2,a\n2,3,b\n"), "ignore=sise", ARGUMENT,
     "--ignore: there is no column 'sise' in FILE; did you mean 'size'?"},
    {"ignored position out of range", BYTES("1,2,a\n2,3,b\n"), "ignore=1,7", ARGUMENT,
     "--ignore: column 7 is asked for but FILE has 3 columns"},
    {"label ignored", BYTES("1,2,a\n2,3,b\n"), "ignore=3", ARGUMENT,
     "--ignore: column 3 of FILE is the label column; name another one with --label, or say --label none"},
    {"every feature ignored", BYTES("1,2,a\n2,3,b\n"), "ignore=1,2", ARGUMENT,
     "--ignore: every feature of FILE is ignored; keep at least one"},
    {"no features", BYTES("a\nb\n"), NULL, INPUT,
     "FILE: there are no feature columns: the file has 1 column, which holds the labels; use --label none "
     "if it does not"},
    {"regress on words", BYTES("1,2\n2,b\n"), "task=regress", INPUT,
     "FILE: line 2, column 2: the label 'b' is not a number; --task regress needs numbers, or say --task "
     "classify"},
    {"one class", BYTES("1,a\n2,a\n3,a\n"), NULL, INPUT,
     "all 3 rows have the label 'a'; learning needs at least two classes"},
    {"one row", BYTES("1,a"), "header=no", INPUT, "there is only one row; learning needs at least two"},
    {"no labels", BYTES("1,2\n3,4\n"), "label=none", INPUT,
     "there are no labels; name the column that holds them with --label"},
    {"one target", BYTES("1,0.5\n2,0.50\n"), NULL, INPUT,
     "all 2 rows have the target 0.5; learning needs at least two different targets"},
    {"label and labels", BYTES("1,2\n3,4\n"), "label=1|labels=LABELS", ARGUMENT,
     "--label names a column and --labels a file with the labels; give only one of them"},
    {"no final line end", BYTES("1,a\n2,b"), NULL, GERSH_OK, NULL},
    {"CRLF", BYTES("1,a\r\n2,b\r\n"), NULL, GERSH_OK, NULL},
    {"mark", BYTES("\xEF\xBB\xBFx,y\n1,a\n2,b\n"), "label=y", GERSH_OK, NULL},
    {"mark before a quote", BYTES("\xEF\xBB\xBF\"x\",y\n1,a\n2,b\n"), "ignore=|label=y", GERSH_OK, NULL},
};

static const malformed libsvm_cases[] = {
    {"no pairs", BYTES("1\n2\n"), "format=libsvm", INPUT, "FILE: has labels but no index:value pair"},
    {"only comments", BYTES("# 1 1:2\n\n"), "format=libsvm", INPUT,
     "FILE: has no rows, only blank lines and comments"},
    {"index 0", BYTES("1 1:2\n-1 0:1\n"), NULL, INPUT,
     "FILE: line 2: '0:1' has the index 0; indices start at 1"},
    {"index twice", BYTES("1 1:2\n-1 2:1 2:3\n"), NULL, INPUT, "FILE: line 2: the index 2 is there twice"},
    {"indices descend", BYTES("1 1:2\n\n-1 5:1 3:3\n"), NULL, INPUT,
     "FILE: line 3: the index 3 comes after 5; indices must ascend"},
    {"negative index", BYTES("1 1:2\n-1 -3:1\n"), NULL, INPUT,
     "FILE: line 2: the index of '-3:1' is not a whole number, or too large"},
    {"huge index", BYTES("1 99999999999999999999:1\n"), "format=libsvm", INPUT,
     "FILE: line 1: the index of '99999999999999999999:1' is not a whole number, or too large"},
    {"no colon", BYTES("1 1:2\n-1 1:1 4\n"), NULL, INPUT, "FILE: line 2: '4' is not an index:value pair"},
    {"no value", BYTES("1 1:2\n-1 1:\n"), NULL, INPUT, "FILE: line 2: the value of '1:' is not a number"},
    {"value is text", BYTES("1 1:2\n-1 1:x\n"), NULL, INPUT,
     "FILE: line 2: the value of '1:x' is not a number"},
    {"value missing", BYTES("1 1:2\n-1 1:?\n"), NULL, INPUT,
     "FILE: line 2: the value of '1:?' is not a number"},
    {"value NaN", BYTES("1 1:2\n-1 1:nan\n"), NULL, INPUT,
     "FILE: line 2: the value of '1:nan' is not finite; only finite numbers can be used"},
    {"value infinite", BYTES("1 1:2\n-1 1:inf\n"), NULL, INPUT,
     "FILE: line 2: the value of '1:inf' is not finite; only finite numbers can be used"},
    {"value too large", BYTES("1 1:2\n-1 1:-1e400\n"), NULL, INPUT,
     "FILE: line 2: the value of '1:-1e400' is too large; numbers go up to about 1.8e308"},
    {"no label", BYTES("1 1:2\n1:5 2:3\n"), NULL, INPUT,
     "FILE: line 2: starts with '1:5'; the label must come before the first index:value pair"},
    {"several labels", BYTES("1,2 1:2\n3 1:5\n"), NULL, INPUT,
     "FILE: line 1: '1,2' are several labels; each line can have one only"},
    {"qid", BYTES("1 qid:3 1:2\n2 qid:3 1:5\n"), NULL, INPUT,
     "FILE: line 1: 'qid:3' marks a group of rows for ranking, which is not supported; take the qid "
     "entries out"},
    {"label missing", BYTES("1 1:2\n? 1:5\n"), NULL, INPUT,
     "FILE: line 2, column 2: the label is missing; complete it or remove the row, or choose another "
     "column with --label"},
    {"label by position", BYTES("1 1:2\n-1 1:5\n"), "label=1", ARGUMENT,
     "--label: '1' cannot be the label of FILE, as a LIBSVM file has its labels in front of each line; "
     "leave the option out, or use 'none'"},
    {"labels do not fit", BYTES("1 1:2\n-1 1:5\n"), "labels=LABELS", INPUT,
     "LABELS: --labels needs one label for each row, but there are 3 labels and 2 rows in FILE"},
    {"NUL", BYTES("1 1:2\n-1\0 1:5\n"), NULL, INPUT,
     "FILE: line 2: byte 3 of the line is NUL, so this is not a text file"},
    {"one class", BYTES("1 1:2\n1.0 1:5\n"), NULL, INPUT,
     "all 2 rows have the label '1'; learning needs at least two classes"},
};

static const malformed arff_cases[] = {
    {"no @data", BYTES(ARFF), NULL, INPUT, "FILE: has no line '@data'"},
    {"no attributes", BYTES("@relation r\n@data\n1,2\n"), NULL, INPUT,
     "FILE: line 2: @data comes before any @attribute"},
    {"no rows", BYTES(ARFF "@data\n% 1,x\n"), NULL, INPUT, "FILE: has no rows behind the line '@data'"},
    {"unknown declaration", BYTES(ARFF "@dta\n1,x\n"), NULL, INPUT,
     "FILE: line 4: starts with '@dta'; expected @relation, @attribute or @data"},
    {"row before @data", BYTES(ARFF "1,x\n"), NULL, INPUT,
     "FILE: line 4: starts with '1'; expected @relation, @attribute or @data"},
    {"text behind @data", BYTES(ARFF "@data 1,x\n"), NULL, INPUT,
     "FILE: line 4: '1,x' is not expected behind @data"},
    {"unknown type", BYTES("@relation r\n@attribute a float\n"), NULL, INPUT,
     "FILE: line 2: the type 'float' is not known; expected numeric, real, integer, string, date or "
     "{values}"},
    {"relational", BYTES("@relation r\n@attribute bag relational\n"), NULL, INPUT,
     "FILE: line 2: the type 'relational' is not known; expected numeric, real, integer, string, date or "
     "{values}"},
    {"no type", BYTES("@relation r\n@attribute a\n"), NULL, INPUT,
     "FILE: line 2: the attribute has no type; expected numeric, string, date or {values}"},
    {"no name", BYTES("@relation r\n@attribute\n"), NULL, INPUT, "FILE: line 2: the attribute has no name"},
    {"quoted name not closed", BYTES("@relation r\n@attribute 'a b real\n"), NULL, INPUT,
     "FILE: line 2: a quote (') is opened and never closed"},
    {"name twice", BYTES(ARFF "@attribute a real\n@data\n"), NULL, INPUT,
     "FILE: line 4: there is an attribute 'a' already; give each its own name"},
    {"text behind the type", BYTES("@relation r\n@attribute a real 5\n"), NULL, INPUT,
     "FILE: line 2: '5' is not expected behind the type"},
    {"no closing brace", BYTES("@relation r\n@attribute a {x, y\n"), NULL, INPUT,
     "FILE: line 2: the list of values has no closing brace"},
    {"no comma in braces", BYTES("@relation r\n@attribute a {x y}\n"), NULL, INPUT,
     "FILE: line 2: a comma is missing behind 'x' in the list of values; a value with blanks needs quotes"},
    {"empty value in braces", BYTES("@relation r\n@attribute a {x,,y}\n"), NULL, INPUT,
     "FILE: line 2: a value in the braces is empty; write it as ''"},
    {"value declared twice", BYTES("@relation r\n@attribute a {x,y,x}\n"), NULL, INPUT,
     "FILE: line 2: the value 'x' is declared twice"},
    {"row too short", BYTES(ARFF "@data\n1,x\n2\n"), NULL, INPUT,
     "FILE: line 6: 1 value where 2 attributes are declared"},
    {"row too long", BYTES(ARFF "@data\n1,x\n2,y,3\n"), NULL, INPUT,
     "FILE: line 6: 3 values where 2 attributes are declared"},
    {"trailing comma", BYTES(ARFF "@data\n1,x,\n"), NULL, INPUT,
     "FILE: line 5: 3 values where 2 attributes are declared"},
    {"empty value", BYTES(ARFF "@data\n,x\n"), NULL, INPUT,
     "FILE: line 5, column 1 ('a'): the value is empty; write ? for a missing value"},
    {"not a number", BYTES(ARFF "@data\n1,x\nabc,y\n"), NULL, INPUT,
     "FILE: line 6, column 1 ('a'): 'abc' is not a number, but the attribute is numeric"},
    {"NaN", BYTES(ARFF "@data\nNaN,x\n"), NULL, INPUT,
     "FILE: line 5, column 1 ('a'): 'NaN' is not a number, but the attribute is numeric"},
    {"infinite", BYTES(ARFF "@data\n-inf,x\n"), NULL, INPUT,
     "FILE: line 5, column 1 ('a'): '-inf' is not finite; only finite numbers can be used"},
    {"too large", BYTES(ARFF "@data\n1e309,x\n"), NULL, INPUT,
     "FILE: line 5, column 1 ('a'): '1e309' is too large; numbers go up to about 1.8e308"},
    {"not declared", BYTES(ARFF "@data\n1,z\n"), NULL, INPUT,
     "FILE: line 5, column 2 ('c'): 'z' is not one of the declared values: x, y"},
    {"quote not closed", BYTES(ARFF "@data\n1,'x\n"), NULL, INPUT,
     "FILE: line 5: a quote (') is opened and never closed"},
    {"text behind a quote", BYTES(ARFF "@data\n1,'x'y\n"), NULL, INPUT,
     "FILE: line 5: there is text behind a closing quote ('); a quote inside quotes is written with a "
     "backslash before it"},
    {"weight", BYTES(ARFF "@data\n1,x,{5}\n"), NULL, INPUT,
     "FILE: line 5: a brace comes after the values; weights of rows are not supported, and values with "
     "braces need quotes"},
    {"weight of a sparse row", BYTES(ARFF "@data\n{0 1},{5}\n"), NULL, INPUT,
     "FILE: line 5: a brace comes after the values; weights of rows are not supported, and values with "
     "braces need quotes"},
    {"sparse index too large", BYTES(ARFF "@data\n{2 1}\n"), NULL, INPUT,
     "FILE: line 5: '2' is not an index from 0 to 1 of a sparse row"},
    {"sparse index is text", BYTES(ARFF "@data\n{a 1}\n"), NULL, INPUT,
     "FILE: line 5: 'a' is not an index from 0 to 1 of a sparse row"},
    {"sparse indices descend", BYTES(ARFF "@data\n{1 x, 0 1}\n"), NULL, INPUT,
     "FILE: line 5: the index 0 comes too late; the indices of a sparse row must ascend"},
    {"sparse without value", BYTES(ARFF "@data\n{0}\n"), NULL, INPUT,
     "FILE: line 5, column 1 ('a'): the value is empty; write ? for a missing value"},
    {"sparse without comma", BYTES(ARFF "@data\n{0 1 1 x}\n"), NULL, INPUT,
     "FILE: line 5: a comma is missing between the entries of a sparse row"},
    {"sparse not closed", BYTES(ARFF "@data\n{0 1\n"), NULL, INPUT,
     "FILE: line 5: the sparse row has no closing brace"},
    {"sparse with a tail", BYTES(ARFF "@data\n{0 1} 5\n"), NULL, INPUT,
     "FILE: line 5: there is text behind the sparse row's closing brace"},
    {"sparse without a text", BYTES("@relation r\n@attribute s string\n@attribute c {x,y}\n@data\n{1 y}\n"),
     NULL, INPUT,
     "FILE: line 5, column 1 ('s'): a sparse row leaves out this text attribute, so that its value is not "
     "known; write it out"},
    {"missing value", BYTES(ARFF "@data\n?,x\n1,y\n"), NULL, INPUT,
     "FILE: line 5, column 1 ('a'): the value is missing; use --missing mean or --missing zero to fill it "
     "in"},
    {"nominal feature", BYTES("@relation r\n@attribute s {p,q}\n@attribute c {x,y}\n@data\np,y\nq,x\n"),
     NULL, INPUT,
     "FILE: line 5, column 1 ('s'): 'p' is not a number; use --categorical onehot for text columns, or "
     "--ignore s"},
    {"unknown label", BYTES(ARFF "@data\n1,x\n2,y\n"), "label=b", ARGUMENT,
     "--label: there is no column 'b' in FILE; did you mean 'a'?"},
    {"NUL", BYTES(ARFF "@data\n1,x\n2\0,y\n"), NULL, INPUT,
     "FILE: line 6: byte 2 of the line is NUL, so this is not a text file"},
    {"comments behind rows", BYTES(ARFF "@data\n1,x % one\n2,y %\n"), NULL, GERSH_OK, NULL},
};

#define DICT "{'descr': '<f8', 'fortran_order': False, 'shape': "
#define TYPED(type) "{'descr': '" type "', 'fortran_order': False, 'shape': (2,), }"

static const malformed npy_cases[] = {
    {"not NPY", BYTES("1,2\n"), "format=npy", INPUT,
     "FILE: is not an NPY file; it does not start with '\\x93NUMPY'"},
    {"cut in the magic", BYTES("\x93NUM"), "format=npy", INPUT,
     "FILE: is not an NPY file; it does not start with '\\x93NUMPY'"},
    {"cut before the length", BYTES(NPY("\1\0", "", "")), NULL, INPUT,
     "FILE: bad NPY header: the file ends after 8 bytes"},
    {"cut in the header", BYTES(NPY("\1\0", "\x40\0", "{'descr'")), NULL, INPUT,
     "FILE: bad NPY header: it should have 64 bytes, but only 8 follow"},
    {"unknown version", BYTES(NPY("\4\0", "\0\0\0\0", "")), NULL, INPUT,
     "FILE: has version 4.0 of the NPY format; 1.0, 2.0 and 3.0 are known"},
    {"empty header", BYTES(NPY("\1\0", "\0\0", "")), NULL, INPUT,
     "FILE: bad NPY header: expected a brace at ''"},
    {"no shape", BYTES(NPY("\1\0", "\x2a\0", "{'descr': '<f8', 'fortran_order': False, }")), NULL, INPUT,
     "FILE: bad NPY header: the key 'shape' is missing"},
    {"unknown key", BYTES(NPY("\1\0", "\x0a\0", "{'des': 1}")), NULL, INPUT,
     "FILE: bad NPY header: an unknown key at 'des': 1}'"},
    {"key twice", BYTES(NPY("\1\0", "\x22\0", "{'descr': '<f8', 'descr': '<f8', }")), NULL, INPUT,
     "FILE: bad NPY header: a key that is there twice at 'descr': '<f8', }'"},
    {"no colon", BYTES(NPY("\1\0", "\x10\0", "{'descr' '<f8'}\n")), NULL, INPUT,
     "FILE: bad NPY header: expected a colon at ''<f8'}\\x0A'"},
    {"bad order", BYTES(NPY("\1\0", "\x15\0", "{'fortran_order': 0}\n")), NULL, INPUT,
     "FILE: bad NPY header: expected True or False at '0}\\x0A'"},
    {"negative shape", BYTES(NPY("\1\0", "\x39\0", DICT "(-1,)}\n")), NULL, INPUT,
     "FILE: bad NPY header: expected a whole number in the shape at '-1,)}\\x0A'"},
    {"no axes", BYTES(NPY("\1\0", "\x36\0", DICT "()}\n")), NULL, INPUT,
     "FILE: the array has 0 axes; one (a column) or two (rows and columns) are expected"},
    {"three axes", BYTES(NPY("\1\0", "\x3d\0", DICT "(1, 1, 1)}\n") "12345678"), NULL, INPUT,
     "FILE: the array has 3 axes; one (a column) or two (rows and columns) are expected"},
    {"no elements", BYTES(NPY("\1\0", "\x3a\0", DICT "(0, 2)}\n")), NULL, INPUT,
     "FILE: the array has 0 rows and 2 columns, so no values"},
    {"overflow of the shape",
     BYTES(NPY("\1\0", "\x5c\0", DICT "(4294967296, 4294967296)}                 \n")), NULL, INPUT,
     "FILE: an array of 4294967296 × 4294967296 elements of 8 bytes cannot be; the header is damaged"},
    {"too few elements", BYTES(NPY("\1\0", "\x38\0", DICT "(2,)}\n") "12345678"), NULL, INPUT,
     "FILE: 2 × 1 elements of 8 bytes are 16 bytes, but 8 follow the header; the file was cut off"},
    {"too many elements", BYTES(NPY("\1\0", "\x38\0", DICT "(1,)}\n") "123456789"), NULL, INPUT,
     "FILE: 1 × 1 elements of 8 bytes are 8 bytes, but 9 follow the header; the file has bytes behind the "
     "array"},
    {"text behind the dictionary", BYTES(NPY("\1\0", "\x39\0", DICT "(1,)} x") "12345678"), NULL, INPUT,
     "FILE: bad NPY header: more text than one dictionary at 'x'"},
    {"objects", BYTES(NPY("\1\0", "\x38\0", TYPED("|O"))), NULL, INPUT,
     "FILE: the elements are of type '|O', pickled objects, which are refused; save an array of numbers"},
    {"complex", BYTES(NPY("\1\0", "\x3a\0", TYPED("<c16"))), NULL, INPUT,
     "FILE: the elements are of type '<c16', which is not supported; save them as float64, float32, "
     "float16, whole numbers, booleans or text"},
    {"long double", BYTES(NPY("\1\0", "\x3a\0", TYPED("<f16"))), NULL, INPUT,
     "FILE: the elements are of type '<f16', which is not supported; save them as float64, float32, "
     "float16, whole numbers, booleans or text"},
    {"dates", BYTES(NPY("\1\0", "\x3d\0", TYPED("<M8[ns]"))), NULL, INPUT,
     "FILE: the elements are of type '<M8[ns]', which is not supported; save them as float64, float32, "
     "float16, whole numbers, booleans or text"},
    {"records", BYTES(NPY("\1\0", "\x1b\0", "{'descr': [('a', '<f8')], }")), NULL, INPUT,
     "FILE: the elements are records of several fields; save a plain array of numbers"},
    {"infinite", BYTES(NPY("\1\0", "\x38\0", DICT "(1,)}\n") "\0\0\0\0\0\0\xF0\x7F"), NULL, INPUT,
     "FILE: column 1: row 1: the value is infinite; only finite numbers can be used"},
    {"not a boolean", BYTES(NPY("\1\0", "\x39\0", TYPED("|b1")) "\1\2"), NULL, INPUT,
     "FILE: column 1: row 2: the byte 2 is not a boolean, 0 or 1"},
    {"not a character", BYTES(NPY("\1\0", "\x39\0", TYPED("<U1")) "\0\xD8\0\0\0\xD8\0\0"), NULL, INPUT,
     "FILE: column 1: row 1: character 1 of the text, U+D800, is not allowed"},
    {"NUL in a text", BYTES(NPY("\1\0", "\x39\0", TYPED("|S3")) "abca\0c"), NULL, INPUT,
     "FILE: column 1: row 2: character 2 of the text, U+0000, is not allowed"},
    {"missing value",
     BYTES(NPY("\1\0", "\x3a\0", DICT "(1, 2)}\n") "\0\0\0\0\0\0\xF8\x7F"
                                                   "12345678"),
     NULL, INPUT,
     "FILE: column 1: row 1: the value is missing; use --missing mean or --missing zero to fill it in"},
};

static void check_cases(const malformed *cases, size_t count)
{
    size_t wrong = 0;
    io_write_to(io_labels_path, "a\nb\nc\n", 6);
    for (size_t c = 0; c < count; c++) {
        io_write(cases[c].content, cases[c].size);
        wrong += !is_as_expected(cases[c].name, cases[c].settings, cases[c].status, cases[c].message);
    }
    assert_int_equal(wrong, 0);
}

#define CHECK(cases) check_cases(cases, sizeof(cases) / sizeof((cases)[0]))

static void test_text(void **state)
{
    (void)state;
    CHECK(text_cases);
}

static void test_libsvm(void **state)
{
    (void)state;
    CHECK(libsvm_cases);
}

static void test_arff(void **state)
{
    (void)state;
    CHECK(arff_cases);
}

static void test_npy(void **state)
{
    (void)state;
    CHECK(npy_cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_libsvm),
        cmocka_unit_test(test_arff),
        cmocka_unit_test(test_npy),
    };
    return cmocka_run_group_tests_name("io_malformed", tests, io_start, io_end);
}
