// Tests the CSV reader with files of spreadsheets and providers, invalid files and hostile files.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CsvProblem, readCsv } from './csv.ts'

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Returns the fields of all records, or the problem with its line number. */
async function read(content: string | Buffer, size = 65_536) {
  const records: { line: number; fields: string[] }[] = []
  try {
    for await (const batch of readCsv(inChunks(Buffer.from(content), size))) records.push(...batch.records)
  } catch (error) {
    assert.ok(error instanceof CsvProblem, String(error))
    return `line ${error.line} ${error.message}`
  }
  return records.map(({ fields }) => fields)
}

const READABLE: [string, string, string[][]][] = [
  [
    'commas',
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'semicolons',
    'a;b\n1,5;2\n',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'a header with commas in its names',
    '"a,x,y";b\n1;2\n',
    [
      ['a,x,y', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a last line without a line end',
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a byte order mark',
    '\ufeffa,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'empty lines',
    'a,b\n\n1,2\r\n\r\n\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'empty fields',
    'a,b\n,\n',
    [
      ['a', 'b'],
      ['', ''],
    ],
  ],
  [
    'quotes',
    'a,b\n"1,2","x ""y"""\n',
    [
      ['a', 'b'],
      ['1,2', 'x "y"'],
    ],
  ],
  [
    'line ends in quotes',
    'a,b\n"1\r\n2",3\n',
    [
      ['a', 'b'],
      ['1\r\n2', '3'],
    ],
  ],
  [
    'an empty quoted field',
    'a,b\n"",""\n',
    [
      ['a', 'b'],
      ['', ''],
    ],
  ],
  [
    'formulas as texts',
    "a,b\n=cmd|' /C calc'!A0,+1\n",
    [
      ['a', 'b'],
      ["=cmd|' /C calc'!A0", '+1'],
    ],
  ],
  [
    'letters beyond ASCII',
    'a,b\nMwanañuza,€\n',
    [
      ['a', 'b'],
      ['Mwanañuza', '€'],
    ],
  ],
]

for (const [name, content, expected] of READABLE) {
  test(`the CSV reader reads ${name} in chunks of five sizes`, async () => {
    for (const size of [1, 2, 3, 7, 65_536]) assert.deepEqual(await read(content, size), expected, `chunks of ${size}`)
  })
}

const INVALID: [string, string | Buffer, string][] = [
  ['a quote that is not closed', 'a,b\n1,2\n"3,4\n5,6\n', 'line 3 has a quote that is not closed'],
  ['a quote in the middle', 'a,b\n1"2,3\n4",5\n', 'line 2 has a quote in the middle of a field'],
  ['text after a closing quote', 'a,b\n"1"2,3\n', 'line 2 has text after a closing quote'],
  ['NUL', 'a,b\n1,\0\n', 'line 2 has a control character such as NUL'],
  ['an escape', 'a,b\n1,\u001b[2J\n', 'line 2 has a control character such as NUL'],
  ['a carriage return without a line feed', 'a,b\n1,2\r3,4\n', 'line 2 has a carriage return without a line feed'],
  ['Latin-1', Buffer.from('a,b\n1,2\n3,Mwana\xf1uza\n', 'latin1'), 'line 3 is not UTF-8'],
  ['UTF-16', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'line 1 is not UTF-8'],
  ['UTF-16 without a mark', Buffer.from('a,b\n1,2\n', 'utf16le'), 'line 1 has a control character such as NUL'],
  ['a character cut off at the end', Buffer.from([0x61, 0x2c, 0x62, 0x0a, 0xe2, 0x82]), 'line 2 is not UTF-8'],
]

for (const [name, content, expected] of INVALID) {
  test(`the CSV reader refuses ${name} with the line number`, async () => assert.equal(await read(content), expected))
}

test('the CSV reader refuses a line of 10 MB before it has read the whole line into memory', async () => {
  const long = Buffer.concat([Buffer.from('a,b\n1,'), Buffer.alloc(10_000_000, 'x')])
  assert.equal(await read(long), 'line 2 is longer than 16384 characters')
  const quoted = Buffer.concat([Buffer.from('a,b\n1,"'), Buffer.alloc(10_000_000, 'x\n')])
  assert.equal(await read(quoted), 'line 2 is longer than 16384 characters')
  let taken = 0
  const endless = async function* () {
    for (;;) {
      taken += 1
      yield Buffer.alloc(65_536, 'x')
    }
  }
  await assert.rejects(async () => {
    for await (const _ of readCsv(endless()));
  }, CsvProblem)
  assert.equal(taken, 1)
})

test('the CSV reader counts line ends in quoted fields when it numbers the lines', async () => {
  const numbers: number[] = []
  for await (const { records } of readCsv(inChunks(Buffer.from('a,b\n"1\n\n2",3\n\n4,5\n'), 5)))
    numbers.push(...records.map(({ line }) => line))
  assert.deepEqual(numbers, [1, 2, 6])
})

test('the CSV reader returns valid records unchanged, and treats random bytes in the same way for chunks of 1 to 9 bytes', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', '1', ',', ';', '"', '\n', ' ', 'é', '=') })
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(field, field)), fc.integer({ min: 1, max: 9 }), async (rows, size) => {
      const content = ['a,b', ...rows.map((row) => row.map(quote).join(','))].join('\n')
      assert.deepEqual(await read(content, size), [['a', 'b'], ...rows])
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 9 }), async (bytes, size) => {
      const got = await read(Buffer.from(bytes), size)
      // The result must not depend on the size of the chunks.
      const whole = await read(Buffer.from(bytes))
      assert.deepEqual(typeof got === 'string' ? 'refused' : got, typeof whole === 'string' ? 'refused' : whole)
    }),
  )
})
