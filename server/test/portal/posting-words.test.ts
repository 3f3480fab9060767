// Tests that the consoles name each posting of the ledger in words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postingWords } from '../../../web/ui/posting-words.ts'
import { FACTS } from '../../src/books/ledger/post.ts'

test('both consoles name each posting of the ledger in Swahili and in English, and no other posting', () => {
  const postings = Object.keys(FACTS).sort()
  for (const language of ['sw', 'en'] as const)
    assert.deepEqual(Object.keys(postingWords[language]).sort(), postings, language)
})
