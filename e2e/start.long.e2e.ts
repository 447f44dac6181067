import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from '@playwright/test'
import { login } from '#contract/identity/auth.ts'
import { readSetup } from '#contract/identity/setup.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { readHealth } from '#contract/platform/system.ts'
import { entered } from '../server/testing/sign-in/entered.ts'
import { clientOf, firstSuperadmin, passphrase } from './client.ts'
import { openFolder, startProduct } from './product.ts'

test('a second server on the same data shares the database, and each goes on without the other', async () => {
  const folder = await openFolder()
  const first = await startProduct({ DATA_DIR: folder })
  const superadmin = await firstSuperadmin(first)
  const second = await startProduct({ DATA_DIR: folder })
  expect(second.setupUrl).toBeUndefined()
  expect(second.url).not.toBe(first.url)
  const there = clientOf(second.url, superadmin.token)
  expect((await there.call(listOrganizations)).total).toBe(0)
  await first.stop()
  expect((await there.call(readHealth)).status).toBe('ready')
  await second.stop()
  await rm(folder, { recursive: true, force: true })
})

test('a port that is taken is named, with a way out', async () => {
  const first = await startProduct()
  const { port } = new URL(first.url)
  await expect(startProduct({ PORT: port })).rejects.toThrow(`Port ${port} is taken by another program`)
  expect((await clientOf(first.url, '').call(readHealth)).status).toBe('ready')
  await first.stop()
})

test('every wrong setting is named at once', async () => {
  const wrong = startProduct({ PORT: 'many', SMTP_URL: 'mail.example.com', RUN: 'everything' })
  await expect(wrong).rejects.toThrow(/PORT[\s\S]*SMTP_URL[\s\S]*RUN/)
})

test('a server that was killed is back with everything, and its setup link works once', async () => {
  const product = await startProduct()
  await product.kill()
  await product.restart()
  expect((await clientOf(product.url, '').call(readSetup)).needed).toBe(true)
  await firstSuperadmin(product)
  await product.kill()
  await product.restart()
  const anyone = clientOf(product.url, '')
  expect((await anyone.call(readSetup)).needed).toBe(false)
  await anyone.call(login, { body: { identifier: 'sue@example.test', password: passphrase } })
  await product.stop()
})

test('the first administrator can be created without a browser', async () => {
  const folder = await openFolder()
  const file = path.join(folder, 'password')
  await writeFile(file, `${passphrase}\n`)
  const product = await startProduct({}, ['--superadmin', 'root@example.test', '--password-file', file])
  expect(product.setupUrl).toBeUndefined()
  const signedIn = await clientOf(product.url, '').call(login, {
    body: { identifier: 'root@example.test', password: passphrase },
  })
  expect(entered(signedIn).user.role).toBe('superadmin')
  await product.stop()
  await rm(folder, { recursive: true, force: true })
})
