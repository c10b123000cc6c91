# What can be read of damaged files is listed, and what cannot is told.
rocaudit ls bad-entry-outside.fb bad-noise-after-bundle.so bad-metadata-count.co
