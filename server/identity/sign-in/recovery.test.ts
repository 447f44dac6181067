import { expect, test } from 'vitest'
import { verifyAuthCode, verifyToken } from '#contract/identity/auth.ts'
import { readFactors, renewRecoveryCodes } from '#contract/identity/factors.ts'
import { factorTests, withFlow } from '../../testing/sign-in/factors.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()

const { change, network, somebody, enterAs, addApp, addPasskey, mailsTo } = factorTests(() => server)

const verify = (code: string, flowToken: string) =>
  server.call(verifyAuthCode, { body: { code }, headers: { ...withFlow(flowToken), ...network() } })

test('a recovery code signs in once, however it is typed, and its owner is told', async () => {
  const person = await somebody()
  const { recoveryCodes } = await addApp(person)
  const typed = ` ${(recoveryCodes[3] ?? '').toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `
  const answer = await verify(typed, await enterAs(person, 'mfa_required'))
  expect(answer.body.status).toBe('authenticated')
  const stored = await change('select amr from sessions where user_id = $1 order by id desc limit 1', [
    person.id,
  ])
  expect(stored.rows).toEqual([{ amr: ['pwd', 'rcv'] }])
  expect((await person.call(readFactors)).body.recoveryCodesLeft).toBe(9)
  const mail = (await mailsTo(person)).find(({ subject }) => subject.startsWith('A recovery code was used'))
  expect(mail?.subject).toBe('A recovery code was used – Sendreel')
  expect(mail?.text).toContain('Codes that are left: 9')
  const flowToken = await enterAs(person, 'mfa_required')
  expect((await verify(typed, flowToken)).problem?.code).toBe('invalid_code')
  const body = { identifier: person.email, code: recoveryCodes[4] ?? '', methodType: 'recovery' as const }
  const byToken = await server.call(verifyToken, { body, headers: withFlow(flowToken) })
  expect(byToken.body.status).toBe('authenticated')
})

test('of two with the same code at once one is let in', async () => {
  const person = await somebody()
  const { recoveryCodes } = await addApp(person)
  const flows = [await enterAs(person, 'mfa_required'), await enterAs(person, 'mfa_required')]
  const answers = await Promise.all(flows.map((token) => verify(recoveryCodes[0] ?? '', token)))
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401])
})

test('only hashes are kept, and another person’s code is worth nothing', async () => {
  const person = await somebody()
  const { recoveryCodes } = await addApp(person)
  const stored = await change('select c::text as row from recovery_codes c where user_id = $1', [person.id])
  expect(stored.rows).toHaveLength(10)
  for (const code of recoveryCodes)
    expect(JSON.stringify(stored.rows).toUpperCase()).not.toContain(code.replaceAll('-', ''))
  const other = await somebody()
  await addApp(other)
  expect((await verify(recoveryCodes[0] ?? '', await enterAs(other, 'mfa_required'))).status).toBe(401)
})

test('guesses are bounded like those of other codes', async () => {
  const person = await somebody()
  await addApp(person)
  const guess = 'ABCD-EFGH-JKMN-PQRS-TVWX-YZ01'
  const flows = await Promise.all([1, 2, 3].map(() => enterAs(person, 'mfa_required')))
  const answers = await Promise.all(
    flows.flatMap((token) => Array.from({ length: 6 }, () => verify(guess, token))),
  )
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
})

test('new codes end the former ones, and need a factor beside them', async () => {
  const person = await somebody()
  expect((await person.call(renewRecoveryCodes)).problem?.code).toBe('conflict')
  const former = await addApp(person)
  const { recoveryCodes } = (await person.call(renewRecoveryCodes)).body
  expect(recoveryCodes).toHaveLength(10)
  const flowToken = await enterAs(person, 'mfa_required')
  expect((await verify(former.recoveryCodes[0] ?? '', flowToken)).status).toBe(401)
  expect((await verify(recoveryCodes[0] ?? '', flowToken)).status).toBe(200)
  expect((await mailsTo(person)).map(({ subject }) => subject)).toContain(
    'You have new recovery codes – Sendreel',
  )
})

test('another factor leaves the codes as they are', async () => {
  const person = await somebody()
  const { recoveryCodes } = await addApp(person)
  await addPasskey(person)
  expect((await person.call(readFactors)).body.recoveryCodesLeft).toBe(10)
  expect((await verify(recoveryCodes[0] ?? '', await enterAs(person, 'mfa_required'))).status).toBe(200)
})
