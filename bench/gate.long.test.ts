import { expect, it } from 'vitest'
import { ratioOf } from './figures.ts'
import { gate } from './people.ts'
import { readBook } from './record.ts'

/** So much more CPU beside the same floor than was recorded on a quiet machine is no accident. */
const generous = 1.5

it('serves people, sign-ins and viewing for no more of a processor, beside their floors, than was recorded', async () => {
  const recorded = new Map((await readBook())['gate']?.figures.map((one) => [one.what, ratioOf(one)]))
  const measured = (await gate()).map((one) => [one.what, ratioOf(one)] as const)
  expect(measured.map(([what]) => what)).toEqual([...recorded.keys()])
  const dearer = measured.filter(([what, ratio]) => !(Number(ratio) <= generous * Number(recorded.get(what))))
  expect(dearer).toEqual([])
})
