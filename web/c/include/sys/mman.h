/* No pages to give advice about: a heap alone. */
