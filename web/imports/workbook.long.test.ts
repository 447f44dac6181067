import { expect, test } from 'vitest'
import { archive, said, sheetOf } from './archive.ts'
import { readWorkbook } from './workbook.ts'

test('a large workbook is read, and more rows than an import takes are refused', async () => {
  const rows = (count: number) => sheetOf(Array.from({ length: count }, (_, n) => said(n + 1)).join(''))
  const read = await readWorkbook(archive(rows(50_000)))
  expect('text' in read && read.text.length).toBeGreaterThan(150_000)
  expect(await readWorkbook(archive(rows(200_002)))).toEqual({ fault: 'too_large' })
})

test('a bomb is stopped while it unpacks, whatever it says about its size', async () => {
  const bomb = archive(new Uint8Array(250_000_000).fill(32))
  expect(bomb.length).toBeLessThan(1_000_000)
  // What it costs, and not how long it lasts beside others.
  const begun = process.cpuUsage()
  expect(await readWorkbook(bomb)).toEqual({ fault: 'too_large' })
  // The sizes in its heads: one byte.
  const lying = bomb.slice()
  const view = new DataView(lying.buffer)
  for (let at = 0; at + 30 < lying.length; at += 1) {
    const sign = view.getUint32(at, true)
    if (sign === 0x04034b50) view.setUint32(at + 22, 1, true)
    if (sign === 0x02014b50) view.setUint32(at + 24, 1, true)
  }
  expect(await readWorkbook(lying)).toEqual({ fault: 'too_large' })
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`xl/${n}.xml`, new Uint8Array(1)]))
  expect(await readWorkbook(archive(sheetOf(said(1)), many))).toEqual({ fault: 'too_large' })
  const { user, system } = process.cpuUsage(begun)
  expect((user + system) / 1e6).toBeLessThan(20)
})
