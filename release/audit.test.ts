import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { audit } from './audit.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'sendreel-audit-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const fault = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  title: 'Reads what it should not',
  severity: 'high',
  vulnerable_versions: '<2.0.0',
  cwe: [],
  cvss: { score: 0, vectorString: null },
}

/** A project that runs on one package, which needs another one, and is built by a third. */
function writeProject(registry: string): void {
  const versions = { dependencies: { outer: '1.0.0' }, devDependencies: { builder: '1.0.0' } }
  const manifest = { name: 'audited', version: '1.0.0', ...versions }
  const packages = {
    '': manifest,
    'node_modules/outer': { version: '1.0.0', dependencies: { inner: '1.0.0' } },
    'node_modules/inner': { version: '1.0.0' },
    'node_modules/builder': { version: '1.0.0', dev: true },
  }
  const lock = { ...manifest, lockfileVersion: 3, requires: true, packages }
  writeFileSync(path.join(root, 'package.json'), JSON.stringify(manifest))
  writeFileSync(path.join(root, 'package-lock.json'), JSON.stringify(lock))
  writeFileSync(path.join(root, '.npmrc'), `registry=${registry}\ncache=${path.join(root, 'cache')}\n`)
}

type AuditRun = { outcome: string; text: string; names: string[] }

/** What is found where the registry knows this, or answers with a status alone; and of which packages it was asked. */
async function auditedBy(known: object | number): Promise<AuditRun> {
  let names: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    if (typeof known === 'number') return response.writeHead(known).end()
    if (request.url !== '/-/npm/v1/security/advisories/bulk') return response.writeHead(404).end()
    const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
    names = Object.keys(JSON.parse(plain.toString()) as object)
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(known))
  }
  const registry = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const { port } = registry.address() as AddressInfo
  writeProject(`http://127.0.0.1:${port}/`)
  try {
    return { ...(await audit(root)), names }
  } finally {
    registry.close()
  }
}

test('a grave fault is told with package, severity, title and link, and stops a release', async () => {
  const { outcome, text, names } = await auditedBy({ inner: [fault] })
  expect(outcome).toBe('found')
  expect(text).toBe(
    'Known faults of packages of production:\n  inner (high): Reads what it should not https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  )
  expect(names.toSorted()).toEqual(['inner', 'outer'])
})

test('where nothing grave is known, one line says how many packages were looked at', async () => {
  expect(await auditedBy({})).toMatchObject({
    outcome: 'fine',
    text: '2 packages of production were audited: nothing high or critical is known, 0 moderate, 0 low.',
  })
  expect(await auditedBy({ inner: [{ ...fault, severity: 'moderate' }] })).toMatchObject({
    outcome: 'fine',
    text: expect.stringMatching(/nothing high or critical is known, [12] moderate, 0 low\.$/) as string,
  })
})

test('a registry that answers no such question, or not at all, is no finding and no clean bill', async () => {
  const refused = await auditedBy(405)
  expect(refused.outcome).toBe('silent')
  expect(refused.text).toMatch(/^No advisory was checked: the registry gave no answer \(405 .*\)$/)
  writeProject('http://127.0.0.1:9/')
  const unheard = await audit(root)
  expect(unheard.outcome).toBe('silent')
  expect(unheard.text.split('\n')).toHaveLength(1)
})

test('what npm cannot audit at all is an error, and not taken for silence', async () => {
  writeProject('http://127.0.0.1:9/')
  rmSync(path.join(root, 'package-lock.json'))
  await expect(audit(root)).rejects.toThrow('npm could not audit the packages')
})
