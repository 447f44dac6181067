import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const root = path.resolve(import.meta.dirname, '..')
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')

test('the recipe of the image and the examples for compose have no faults that their linters know', () => {
  expect(validate(read('Containerfile'))).toEqual([])
  const lint = spawnSync(
    process.execPath,
    [
      'node_modules/dclint/bin/dclint.cjs',
      'compose.yaml',
      'deploy/several/compose.yaml',
      '--max-warnings',
      '0',
    ],
    { cwd: root, encoding: 'utf8' },
  )
  expect(lint.stdout + lint.stderr).not.toContain('problem')
  expect(lint.status).toBe(0)
})

test('the recipe of the image and the example for compose name the version of this release', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  for (const name of ['compose.yaml', 'deploy/several/compose.yaml'])
    expect(read(name)).toContain(`image: sendreel:${version}\n`)
  expect(read('Containerfile')).toContain(`\nARG VERSION=${version}\n`)
  expect(read('Containerfile')).toContain(` --tag sendreel:${version} `)
})

type Compose = {
  services: Record<string, { read_only: boolean; cap_drop: string[]; security_opt: string[] }>
}

test.each([
  ['compose.yaml', ['database', 'mail', 'sendreel']],
  ['deploy/several/compose.yaml', ['api', 'balancer', 'database', 'media', 'migrate', 'worker']],
])('every service of %s has a root that it cannot write, and no rights', (file, names) => {
  const { services } = parse(read(file), { merge: true }) as Compose
  expect(Object.keys(services)).toEqual(names)
  for (const one of Object.values(services))
    expect(one).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
})
