/* Tables from text files, against Python's csv and NumPy and the built-in digits; a sentence for everything that can be
 * wrong with them. */
#include "run_helpers.h"

#include "loaders.h"

#include <locale.h>

/* ---- what is read ---- */

static const struct {
    const char *text, *options;
    size_t n, inputs;
    const char *values;            /* separated by spaces */
    const char *y;                 /* a digit each */
    const char *classes, *columns; /* each name ends with '|' */
} good[] = {
    {"a,b,c\n1,2,x\n3,4,y\n", "", 2, 2, "1 2 3 4", "01", "x|y|", "a|b|"},
    {"a,b,c\r\n1,2,y\r\n3,4,x\r\n", "", 2, 2, "1 2 3 4", "10", "x|y|", "a|b|"},
    {"1,2,x\n3,4,y", "", 2, 2, "1 2 3 4", "01", "x|y|", NULL},
    {"1,2,x\r\n3,4,y\r", "", 2, 2, "1 2 3 4", "01", "x|y|", NULL},
    {"\n \t\r\n\xef\xbb\xbf,b\n1,x\n2,y\n", "", 2, 1, "1 2", "01", "x|y|", "\xef\xbb\xbf|"}, /* only at the start */
    {"\xef\xbb\xbf"
     "a;b;c\n\n \t \n 1 ;\t2; x \n\r\n3;4;y z\n\n",
     "", 2, 2, "1 2 3 4", "01", "x|y z|", "a|b|"},
    {"\ta\tb\n1\t2.5\tx\n2\t-.5e1\ty\n", ",keep=1", 2, 2, "1 2.5 2 -5", "01", "x|y|", "|a|"},
    {"1,7\n2,3.0\n3,3\n4,3.000e+00\n5,10\n6,-0\n7,0\n", "", 7, 1, "1 2 3 4 5 6 7", "2111300", "0|3|7|10|", NULL},
    {"-1,1\n+1.,2\n", ",label=1", 2, 1, "1 2", "01", "-1|1|", NULL},
    {"x,1,2\ny,3,4\n", ",label=1", 2, 2, "1 2 3 4", "01", "x|y|", NULL},
    {"a,b,c\n1,x,2\n3,y,4\n", ",label=b", 2, 2, "1 2 3 4", "01", "x|y|", "a|c|"},
    {"2,b,1\n1,7,4\n3,8,2\n", ",label=1,header=yes", 2, 2, "1 7 3 8", "10", "2|4|", "2|b|"}, /* a name, not a number */
    {"2,b,9\n1,7,2\n3,8,4\n", ",label=b", 2, 2, "1 2 3 4", "01", "7|8|", "2|9|"},
    {"1,b,9\n1,a,2\n3,a,4\n", ",label=2", 2 + 1, 2, "1 9 1 2 3 4", "100", "a|b|", NULL},
    {"1,10\n2,9\n3,9a\n", "", 3, 1, "1 2 3", "012", "10|9|9a|", NULL}, /* texts: byte by byte */
    {"1,2\n2,nan\n3,naan\n", "", 3, 1, "1 2 3", "021", "2|naan|nan|", NULL},
    {"\"a\",\"b \"\"q\"\"\",c\n\"1\", \"2\" ,\"x,\ny\"\n3,4,\"\"\"\"\r\n", "", 2, 2, "1 2 3 4", "10", "\"|x,\ny|",
     "a|b \"q\"|"},
    {"\"a;b;c;d\",e\n1,x\n2,y\n", "", 2, 1, "1 2", "01", "x|y|", "a;b;c;d|"},
    {"1e-320,a\n1e-400,b\n", "", 2, 1, "1e-320 0", "01", "a|b|", NULL},
    {"1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n7,a\n8,b\n9,a", "", 9, 1, "1 2 3 4 5 6 7 8 9", "010101010", "a|b|", NULL},
    {"w,k\n1,a\n2,b\n", ",header=yes", 2, 1, "1 2", "01", "a|b|", "w|"},
    {"1,a\n2,b\n", ",header=no", 2, 1, "1 2", "01", "a|b|", NULL},
    {"0,1,target\n1,2,7\n3,4,5\n", "", 2, 2, "1 2 3 4", "10", "5|7|", "0|1|"}, /* as pandas writes it */
    {"kind,0,1\n7,1,2\n5,3,4\n", ",label=1", 2, 2, "1 2 3 4", "10", "5|7|", "0|1|"},
    {"0,1,target\n1,2,7\n3,4,5\n", ",header=no", 3, 2, "0 1 1 2 3 4", "210", "5|7|target|", NULL},
    {"0,1,target\n1,2,7\n3,4,x\n", "", 3, 2, "0 1 1 2 3 4", "102", "7|target|x|", NULL}, /* a label like others */
    {"1,x\n2,y\n0,5;a\n", "", 3, 1, "1 2 0", "120", "5;a|x|y|", NULL},
    {"1;x\n2;y,z,a\n", "", 2, 1, "1 2", "01", "x|y,z,a|", NULL},
    {"1,\"x\ry\"\n2,\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n", "", 2, 1, "1 2", "01",
     "x\ry|\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|", NULL},
    {"1,9007199254740992\n2,-9007199254740992\n", "", 2, 1, "1 2", "10", "-9007199254740992|9007199254740992|", NULL},
};

static void same_names(const char *const *names, size_t n, const char *expected)
{
    char found[256] = "";
    for (size_t i = 0; i < n; i++) strcat(strcat(found, names[i]), "|");
    assert_string_equal(found, expected);
}

static void good_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char pattern[128];
        struct loaded l;
        put_text("good.csv", good[i].text);
        snprintf(pattern, sizeof pattern, "csv:%%good.csv%s", good[i].options);
        assert_ok(load_rows(&l, &kelvin_data_csv, in_spec(pattern)));
        assert_int_equal(l.loader.n, good[i].n);
        assert_int_equal(l.loader.n_train, good[i].n);
        assert_int_equal(l.data.inputs, good[i].inputs);
        const char *at = good[i].values;
        for (size_t j = 0; j < good[i].n * good[i].inputs; j++) {
            char *end;
            assert_true(strtod(at, &end) == l.loader.values[j]);
            at = end;
        }
        assert_string_equal(at, "");
        for (size_t j = 0; j < good[i].n; j++) assert_int_equal(l.loader.y[j], good[i].y[j] - '0');
        same_names(l.data.class_names, l.data.classes, good[i].classes);
        assert_true(!good[i].columns == !l.data.column_names);
        if (good[i].columns) same_names(l.data.column_names, l.data.inputs, good[i].columns);
        assert_true(!good[i].columns == !l.data.label_name);
        unload(&l);
    }
}

static void test_part(void **state)
{
    (void)state;
    struct loaded l;
    put_text("train.csv", "k,a,b\nx,1,2\ny,3,4\nz,5,6\n");
    put_text("test.csv", "k;a;b\nz;7;8\nx;9;10\n"); /* with another separator */
    assert_ok(load_rows(&l, &kelvin_data_csv, in_spec("csv:%train.csv,label=k,test=%test.csv")));
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const int32_t y[] = {0, 1, 2, 2, 0};
    assert_int_equal(l.loader.n, 5);
    assert_int_equal(l.loader.n_train, 3);
    assert_string_equal(l.data.label_name, "k");
    assert_memory_equal(l.loader.values, values, sizeof values);
    assert_memory_equal(l.loader.y, y, sizeof y);
    unload(&l);
    put_text("pandas.csv", "0,1,target\n1,2,7\n3,4,5\n"); /* a header that only the other rows tell */
    put_text("one.csv", "0,1,target\n9,8,5\n");
    assert_ok(load_rows(&l, &kelvin_data_csv, in_spec("csv:%pandas.csv,test=%one.csv")));
    assert_true(l.loader.n == 3 && l.loader.n_train == 2 && l.loader.y[2] == 0 && l.loader.values[5] == 8);
    assert_string_equal(l.data.label_name, "target");
    unload(&l);
    put_text("bare.csv", "y,7,8"); /* without a header */
    assert_ok(load_rows(&l, &kelvin_data_csv, in_spec("csv:%train.csv,label=k,test=%bare.csv")));
    assert_int_equal(l.loader.n, 4);
    assert_int_equal(l.loader.y[3], 1);
    unload(&l);
    /* Standardised by the training part alone: mean 3, deviation sqrt(8/3). */
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, in_spec("csv:%train.csv,label=k,test=%test.csv")));
    assert_int_equal(data->train.n, 3);
    assert_int_equal(data->test.n, 2);
    assert_near(data->test.x[0], 4 / sqrt(8.0 / 3), 1e-6);
    kelvin_data_close(data);
}

/* ---- against others ---- */

static void same_as_digits(void **state)
{
    (void)state;
    kelvin_data *table, *digits;
    assert_ok(kelvin_data_open(&table, "csv:" SOURCE_ROOT "/src/data/digits.csv,keep=*"));
    assert_ok(kelvin_data_open(&digits, "digits"));
    assert_int_equal(table->inputs, 64);
    assert_int_equal(table->classes, 10);
    const kelvin_part *a[] = {&table->train, &table->test}, *b[] = {&digits->train, &digits->test};
    for (size_t p = 0; p < 2; p++) {
        assert_int_equal(a[p]->n, b[p]->n);
        assert_memory_equal(a[p]->y, b[p]->y, a[p]->n * sizeof *a[p]->y);
        for (size_t i = 0; i < a[p]->n * 64; i++) /* of at most 16, from three floats: some 5e-6 */
            assert_near(a[p]->x[i] * table->deviation[i % 64] + table->mean[i % 64], b[p]->bytes[i], 1e-5);
    }
    kelvin_data_close(table);
    kelvin_data_close(digits);
}

/* raw.bin: the numbers row by row, and the class of each row, as doubles. */
static void same_as_raw(const char *pattern, size_t n, size_t inputs)
{
    struct loaded l;
    size_t bytes;
    assert_ok(load_rows(&l, &kelvin_data_csv, in_spec(pattern)));
    char *raw = slurp(in_base("raw.bin"), &bytes);
    assert_int_equal(l.loader.n, n);
    assert_int_equal(l.data.inputs, inputs);
    assert_int_equal(bytes, n * (inputs + 1) * sizeof(double));
    const double *row = (const double *)raw;
    for (size_t i = 0; i < n; i++, row += inputs + 1) {
        assert_memory_equal(row, l.loader.values + i * inputs, inputs * sizeof *row);
        assert_int_equal(l.loader.y[i], row[inputs]);
    }
    kelvin_free(raw);
    unload(&l);
}

static void numpy_wrote_it(void **state)
{
    (void)state;
    run_python("import sys\ntry:\n    import numpy as np\nexcept ImportError:\n    sys.exit(77)\n"
               "r = np.random.default_rng(1)\n"
               "x = np.ldexp(r.standard_normal((500, 7)), r.integers(-300, 300, (500, 7)))\n"
               "y = r.permutation(np.arange(500) % 5)\n"
               "np.savetxt(sys.argv[1] + '/table.csv', np.c_[x, 2.0 * y - 4], delimiter=',')\n"
               "np.c_[x, y].tofile(sys.argv[1] + '/raw.bin')\n",
               base);
    same_as_raw("csv:%table.csv", 500, 7);
}

/* Labels with everything in them that quotes are for; the fewest digits that give a number back. */
static void python_wrote_it(void **state)
{
    (void)state;
    run_python("import sys, csv, random, struct\n"
               "random.seed(2)\n"
               "labels = sorted(['a,b', 'c\"d', '\"', 'e\\nf', ' g ', 'h;i', 'j\\tk', '3', 'caf\\u00e9', 'l\\r\\nm', "
               "'\"\"\"'],\n"
               "                key=lambda s: s.encode())\n"
               "rows = [[random.gauss(0, 1) * 10 ** random.randint(-9, 9) for _ in range(3)] + [i % len(labels)] for i "
               "in range(300)]\n"
               "random.shuffle(rows)\n"
               "f = open(sys.argv[1] + '/quoted.csv', 'w', encoding='utf-8', newline='')\n"
               "w = csv.writer(f, quoting=csv.QUOTE_ALL)\n"
               "w.writerow(['one', 'two \"2\"', 'three\\n3', 'label, here'])\n"
               "w.writerows([r[:3] + [labels[r[3]]] for r in rows])\n"
               "f.close()\n"
               "open(sys.argv[1] + '/raw.bin', 'wb').write(b''.join(struct.pack('=4d', *r) for r in rows))\n",
               base);
    same_as_raw("csv:%quoted.csv", 300, 3);
    same_as_raw("csv:%quoted.csv,label=label\\, here", 300, 3);
}

/* A data set's own name opens it again. */
static void names_with_commas(void **state)
{
    (void)state;
    kelvin_data *data, *again;
    put_text("a, b.csv", "\"x, y\",\"kind, of\"\n1,a\n2,b\n3,a\n4,b\n");
    assert_ok(kelvin_data_open(&data, in_spec("csv:%a\\, b.csv,label=kind\\, of,split=0")));
    assert_ok(kelvin_data_open(&again, data->name));
    assert_string_equal(again->name, data->name);
    assert_string_equal(again->label_name, "kind, of");
    kelvin_data_close(again);
    kelvin_data_close(data);
}

/* A host program whose decimal point is a comma. */
static void other_locale(void **state)
{
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", base);
    const bool made = system(command) == 0;
    setenv("LOCPATH", base, 1);
    if (!made || !setlocale(LC_ALL, "de_DE.UTF-8") || strtod("0,5", NULL) != 0.5) skip();
    put_text("points.csv", "0.5;a\n1.5;b\n2.5;a\n3.5;b\n");
    kelvin_data *data;
    assert_ok(kelvin_data_open(&data, in_spec("csv:%points.csv,split=0.5")));
    assert_true(strtod("0,5", NULL) == 0.5); /* as it was */
    setlocale(LC_ALL, "C");
    assert_int_equal(data->train.n, 2);
    assert_int_equal(data->test.n, 2);
    for (size_t i = 0; i < 2; i++)
        assert_true(fmod(data->train.x[i] * data->deviation[0] + data->mean[0] + 1e-5, 1) > 0.5);
    kelvin_data_close(data);
}

/* ---- what is wrong ---- */

static const struct {
    const char *text, *options;
    kelvin_status status;
    const char *place, *sentence;
} broken[] = {
    {"", "", KELVIN_EFORMAT, "b.csv: ", "is empty; expected rows"},
    {"\n \r\n\t\n", "", KELVIN_EFORMAT, "b.csv: ", "is empty; expected rows"},
    {"\n\na,b\n\n", "", KELVIN_EFORMAT, "line 3", "names columns and no rows follow; expected"},
    {"a\n1\n2\n", "", KELVIN_EFORMAT, "line 1", "one column; expected at least 2"},
    {"1,a\n\n2,\"b\nc\"\n4,\"a\"b\n", "", KELVIN_EFORMAT,
     "line 5, column 2: ", "text after a closing quote; expected the end"},
    {"1,a\n2,\"b\nc\n", "", KELVIN_EFORMAT, "line 2, column 2: ", "a quote that is never closed; expected another"},
    {"1,a\n2,b\"c\"\n", "", KELVIN_EFORMAT,
     "line 2, column 2: ", "a quote inside of a field; expected the whole field in quotes"},
    {"5\" tube,b,c\n2,b,c\n", "", KELVIN_EFORMAT, "line 1, column 1: ", "a quote inside of a field"},
    {"1,a\n2,b,c\n", "", KELVIN_EFORMAT, "line 2: ", "3 fields; expected 2 as in line 1"},
    {"\na,b,c\n\n1,2,x\n3\n", "", KELVIN_EFORMAT, "line 5: ", "1 field; expected 3 as in line 2"},
    {"\t\t\na\tb\n", "", KELVIN_EFORMAT, "line 2 ", "names columns and no rows follow"},
    {"w,width,k\n1,1.5,x\n2,abc,y\n3,2.5,x\n", ",split=0", KELVIN_EFORMAT,
     "line 3, column 2 ('width'): ", "'abc' is not a number; expected a number"},
    {"k,w,width\nx,1,1.5\ny,1,2.5\nx,1,a\x1b[31m\xc3\xa9\xc2\x9b\n", ",label=k,split=0", KELVIN_EFORMAT,
     "line 4, column 3 ('width'): ", "'a\\x1b[31m\xc3\xa9\\xc2\\x9b' is not a number; expected a number"},
    {"1,x\n2,y\n", ",label=a\xff\xe0\x80\x80", KELVIN_EUSAGE, "b.csv: ", "no column is called 'a\\xff\\xe0\\x80\\x80'"},
    {"a,b\n1,x\n2,caf\xe9\n", "", KELVIN_EFORMAT,
     "b.csv: line 3, byte 6: ", "\\xe9 is not UTF-8; expected text in UTF-8 (from latin-1: iconv -f latin1 -t utf-8)"},
    {"1,\xed\xa0\x80\n", "", KELVIN_EFORMAT, "line 1, byte 3: ", "\\xed is not UTF-8"}, /* a surrogate */
    {"1,\xc0\xaf\n", "", KELVIN_EFORMAT, "line 1, byte 3: ", "\\xc0 is not UTF-8"},     /* longer than it need be */
    {"1,\xe0\x9f\xbf\n", "", KELVIN_EFORMAT, "line 1, byte 3: ", "\\xe0 is not UTF-8"},
    {"1,\xf0\x8f\xbf\xbf\n", "", KELVIN_EFORMAT, "line 1, byte 3: ", "\\xf0 is not UTF-8"},
    {"1,\xf4\x90\x80\x80\n", "", KELVIN_EFORMAT, "line 1, byte 3: ", "\\xf4 is not UTF-8"}, /* beyond U+10FFFF */
    {"1,a\n2,\xc3", "", KELVIN_EFORMAT, "line 2, byte 3: ", "\\xc3 is not UTF-8"},          /* cut */
    {"a,b\r1,x\r2,y\r", "", KELVIN_EFORMAT,
     "line 1, column 2: ", "a CR without LF, as old Macs end lines; expected LF or CRLF (tr '\\r' '\\n' makes"},
    {"\"a\",\"b\"\r\"1\",\"x\"\r", "", KELVIN_EFORMAT, "line 1, column 2: ", "a CR without LF, as old Macs end lines"},
    {"1,a\n2,b\r,c\n", "", KELVIN_EFORMAT, "line 2, column 2: ", "a CR without LF"},
    {"1,a,b,2\n1,2,3,4\n", ",split=0", KELVIN_EFORMAT,
     "line 1, column 2: ", "'a' is not a number; expected a number (header=yes says that this line names the columns)"},
    {"1,a,b,2\n1,2,3,4\n", ",label=4,split=0", KELVIN_EFORMAT,
     "line 1, column 2: ", "expected a number (header=yes says that this line names the columns)"},
    {"k,w\nx,1.5\ny,1\nx,2\ny,2.5\n", "", KELVIN_EFORMAT, "line 2: ",
     "the label is 1.5: kelvin learns classes, not numbers; expected text or a whole number (the first "
     "column looks like classes: label=k; "},
    {"\"k,l\",w\nx,1.5\ny,1\nx,2\ny,2.5\n", "", KELVIN_EFORMAT, "line 2: ", "looks like classes: label=1; "},
    {"k,w\nx,1\ny,2\n", "", KELVIN_EFORMAT, "b.csv: ", "class '1' has one member (row 1)"},
    {"k,w\nx,1\ny,2\n", "", KELVIN_EFORMAT, "b.csv: ", "(label=COLUMN names another column of labels)"},
    {"1,a\n2.5,b\n0x10,a\n", ",split=0", KELVIN_EFORMAT, "line 3, column 1: ", "'0x10' is not a number"},
    {"1,a\n2.5,b\n\" 1\",a\n", ",split=0", KELVIN_EFORMAT, "line 3, column 1: ", "' 1' is not a number"},
    {"1,a\n2.5,b\n1 2,a\n", ",split=0", KELVIN_EFORMAT, "line 3, column 1: ", "'1 2' is not a number"},
    {"1\ta\n-1,5\tb\n", ",split=0", KELVIN_EFORMAT,
     "line 2, column 1: ", "'-1,5' is not a number; expected a number (a decimal"},
    {"1,5;2,5;a\n1,5;3,5;b\n", ",split=0", KELVIN_EFORMAT, "line 1, column 1: ", "(a decimal comma? expected a point)"},
    {"1;a\n2;b\n1,5,0;a\n", ",split=0", KELVIN_EFORMAT, "line 3, column 1: ", "'1,5,0' is not a number"},
    {"1;a\n1,5;b\n", ",split=0", KELVIN_EFORMAT,
     "line 2, column 1: ", "'1,5' is not a number; expected a number (a decimal comma? expected a point)"},
    {"w,k\n-inf,b\n1,a\n", ",split=0", KELVIN_EFORMAT,
     "line 2, column 1 ('w'): ", "'-inf' is not finite; expected a finite number"},
    {"w,k\n1e999,b\n1,a\n", ",split=0", KELVIN_EFORMAT,
     "line 2, column 1 ('w'): ", "'1e999' is not finite; expected a finite number"},
    {"1,a\n2,b\n1234567890123456789012345678901234567890x1,b\n", ",split=0", KELVIN_EFORMAT,
     "line 3, column 1: ", "'1234567890123456789012345678901234567890...' is not a number"},
    {"1,a\n2,\n", "", KELVIN_EFORMAT, "line 2, column 2: ", "the label is empty; expected text or a number"},
    {"1,1\n2,0.153\n", "", KELVIN_EFORMAT,
     "line 2: ", "the label is 0.153: kelvin learns classes, not numbers; expected text or a whole number"},
    {"1,1\n2,nan\n", "", KELVIN_EFORMAT, "line 2: ", "the label is nan; expected text or a whole number"},
    {"1,1\n2,1e17\n", "", KELVIN_EFORMAT, "line 2: ", "the label is 1e17; expected text or a whole number up to 2^53"},
    {"1,a\n2,a\n", "", KELVIN_EFORMAT, "b.csv: ", "all labels are 'a'; expected at least 2 different ones"},
    {"1,3\n2,3.0\n", "", KELVIN_EFORMAT, "b.csv: ", "all labels are '3'; expected at least 2 different ones"},
    {"a,b,a\n1,x,2\n", ",label=a", KELVIN_EUSAGE,
     "line 1: ", "2 columns are called 'a'; expected one, or a number from 1 to 3"},
    {"a,k,b,a\n1,x,2,3\n", ",label=k", KELVIN_EFORMAT,
     "line 1: ", "columns 1 and 4 are both called 'a'; expected different names"},
    {"\na,b,b\n1,2,x\n", "", KELVIN_EFORMAT,
     "line 2: ", "columns 2 and 3 are both called 'b'; expected different names"},
    {"7,8,7,kind\n1,2,3,0\n4,5,6,1\n", "", KELVIN_EFORMAT,
     "line 1: ", "columns 1 and 3 are both called '7'; expected different names"},
    {"a,b,c\n1,x,2\n", ",label=d", KELVIN_EUSAGE,
     "b.csv: ", "no column is called 'd'; expected one of 'a', 'b', 'c', or a number from 1 to 3"},
    {"a,b,c,d,e,f\n1,x,2,3,4,5\n", ",label=g", KELVIN_EUSAGE,
     "b.csv: ", "expected one of 'a', 'b', 'c', 'd', 'e', ..., or"},
    {"1,x\n2,y\n", ",label=d", KELVIN_EUSAGE,
     "b.csv: ", "no column is called 'd', as line 1 does not name them; expected a number from 1 to 2"},
    {"1,x\n2,y\n", ",label=0", KELVIN_EUSAGE, "b.csv: ", "label is column 0; expected a number from 1 to 2"},
    {"1,x\n2,y\n", ",label=3", KELVIN_EUSAGE, "b.csv: ", "label is column 3; expected a number from 1 to 2"},
    {"1,x\n2,y\n", ",label=99999999999999999999", KELVIN_EUSAGE, "b.csv: ", "expected a number from 1 to 2"},
    {"1,x\n2,y\n", ",header=maybe", KELVIN_EUSAGE, "b.csv,header=maybe': ", "header is 'maybe'; expected yes or no"},
    {"1,x\n2,y\n", "", KELVIN_EFORMAT, "b.csv: ", "class 'x' has one member"},
    {"1,x\n2,y\n", ",test=nowhere.csv", KELVIN_EIO, "nowhere.csv", "No such file"},
    {"1,x\n2,y\n", ",test=t,split=0.5", KELVIN_EUSAGE,
     "b.csv,test=t,split=0.5': ", "split is given together with test; expected one of the two"},
    {"1,x\n2,y\n", ",test=t,seed=5", KELVIN_EUSAGE, "b.csv",
     "seed is given together with test; expected one of the two"},
};

/* Test parts of "a,k\n1,x\n2,y\n". */
static const struct {
    const char *text, *place, *sentence;
} broken_tests[] = {
    {"", "t.csv: ", "is empty"},
    {"a,k\n", "t.csv: line 1", "no rows follow"},
    {"1,2,x\n", "t.csv: line 1: ", "3 fields; expected 2 as in the training part"},
    {"1,x\n2\n", "t.csv: line 2: ", "1 field; expected 2 as in line 1"},
    {"b,k\n1,x\n", "t.csv: line 1: ", "the file has 'b', 'k'; the training part also has 'a'"},
    {"a,l\n1,x\n", "t.csv: line 1: ", "no column is called 'k', which has the labels of the training part"},
    {"a,k\n1,x\n\n1,z\n",
     "t.csv: line 4: ", "the label 'z' does not occur in the training part; expected one that does"},
    {"q,x\n1,z\n", "t.csv: line 1: ", "no column is called 'k'"},
    {"k,a,a\nx,1,1\n", "t.csv: line 1: ", "2 columns are called 'a'; expected 1"},
};

static void broken_tables(void **state)
{
    (void)state;
    char pattern[128];
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        put_text("b.csv", broken[i].text);
        snprintf(pattern, sizeof pattern, "csv:%%b.csv%s", broken[i].options);
        open_fails(pattern, broken[i].status, broken[i].place, broken[i].sentence);
        if (strcmp(broken[i].place, "nowhere.csv") != 0) assert_non_null(strstr(kelvin_error(), "b.csv"));
    }
    put_text("b.csv", "a,k\n1,x\n2,y\n");
    for (size_t i = 0; i < sizeof broken_tests / sizeof *broken_tests; i++) {
        put_text("t.csv", broken_tests[i].text);
        open_fails("csv:%b.csv,test=%t.csv", KELVIN_EFORMAT, broken_tests[i].place, broken_tests[i].sentence);
    }
    put_text("b.csv", "1,1\n2,2\n");
    put_text("t.csv", "1,1.0\n2,2x\n");
    open_fails("csv:%b.csv,test=%t.csv", KELVIN_EFORMAT, "t.csv: line 2: ", "the label '2x' does not occur");
    spill(in_base("b.csv"), "1,a\n2,\0b\n", 9);
    open_fails("csv:%b.csv", KELVIN_EFORMAT, "b.csv: line 2, byte 3: ", "is 0; expected text in UTF-8");
    open_fails("csv:%nowhere.csv", KELVIN_EIO, "nowhere.csv", "No such file");
}

/* Two rows of each of n classes. */
static void write_classes(const char *name, int n)
{
    FILE *file = fopen(in_base(name), "w");
    assert_non_null(file);
    for (int i = 0; i < 2 * n; i++) fprintf(file, "%d,%d\n", (i * 31) % 97, i % n * 7919 % n);
    fclose(file);
}

static void too_many_classes(void **state)
{
    (void)state;
    write_classes("many.csv", DATA_MAX_CLASSES + 1);
    open_fails("csv:%many.csv", KELVIN_EFORMAT, "many.csv: line 10001: ", "expected at most 10000 different ones");
    write_classes("many.csv", DATA_MAX_CLASSES);
    struct loaded l;
    assert_ok(load_rows(&l, &kelvin_data_csv, in_spec("csv:%many.csv")));
    assert_int_equal(l.data.classes, DATA_MAX_CLASSES);
    for (int i = 0; i < 2 * DATA_MAX_CLASSES; i++)
        assert_int_equal(l.loader.y[i], i % DATA_MAX_CLASSES * 7919 % DATA_MAX_CLASSES);
    unload(&l);
}

static void no_memory(void **state)
{
    (void)state;
    put_text("train.csv", "a,b,k\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n");
    assert_true(without_memory(open_once, in_spec("csv:%train.csv")) > 10);
    assert_true(without_memory(open_once, in_spec("csv:%train.csv,test=%train.csv")) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_tables),    cmocka_unit_test(test_part),       cmocka_unit_test(same_as_digits),
        cmocka_unit_test(numpy_wrote_it), cmocka_unit_test(python_wrote_it), cmocka_unit_test(names_with_commas),
        cmocka_unit_test(other_locale),   cmocka_unit_test(broken_tables),   cmocka_unit_test(too_many_classes),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
