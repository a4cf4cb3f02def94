# The horizontal axis is stretched towards 1.
logarithmic = 0
series = "categorical-0 categorical-1 random-50 tuned-50 tuned-20 tuned-10"
names = "'categorical (T=0)' 'categorical (T=1)' " \
    . "'-50 (rand. init.)' '-50 (finetuned)' '-20 (finetuned)' '-10 (finetuned)'"
dashes(i) = i < 3 ? 11 : 1
