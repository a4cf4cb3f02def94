logarithmic = 1
series = "categorical-0 categorical-1 ndg-logits ndg-logprobs ndg-likelihood ndg-prior"
names = "'categorical (T=0)' 'categorical (T=1)' " \
    . "'NDG (logits)' 'NDG (logprobs)' 'NDG likelihood' 'NDG prior'"
dashes(i) = i < 3 || i == 4 ? 11 : 1 # logprobs lie on logits
