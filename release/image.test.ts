import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')

test('the recipe of the image and the example for compose have no faults that their linters know', () => {
  expect(validate(read('Containerfile'))).toEqual([])
  const lint = spawnSync(
    process.execPath,
    ['node_modules/dclint/bin/dclint.cjs', 'compose.yaml', '--max-warnings', '0'],
    { cwd: root, encoding: 'utf8' },
  )
  expect(lint.stdout + lint.stderr).not.toContain('problem')
  expect(lint.status).toBe(0)
})

test('the recipe of the image and the example for compose name the version of this release', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect(read('compose.yaml')).toContain(`image: sendreel:${version}\n`)
  expect(read('Containerfile')).toContain(`\nARG VERSION=${version}\n`)
  expect(read('Containerfile')).toContain(` --tag sendreel:${version} `)
})

test('every service of compose has a root that it cannot write, and no rights', () => {
  const [, services = ''] = /^services:\n([^]*?)^\w/m.exec(read('compose.yaml')) ?? []
  const each = services.split(/^ {2}(?=\w)/m).filter((text) => text.trim() !== '')
  expect(each.map((text) => text.split(':')[0])).toEqual(['database', 'mail', 'sendreel'])
  for (const text of each)
    for (const line of ['read_only: true', 'no-new-privileges:true', 'cap_drop:\n      - ALL'])
      expect(text).toContain(line)
})
