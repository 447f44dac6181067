import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { PasswordField } from './fields.tsx'
import { NewPasswordFields } from './account/NewPasswordFields.tsx'

const inputsOf = (html: string) => html.toLowerCase().match(/<input[^>]*>/g) ?? []

test('a password is typed unseen, and a manager of passwords is told which one is asked for', () => {
  const present = inputsOf(renderToStaticMarkup(createElement(PasswordField, { name: 'a', label: 'A' })))
  const fresh = inputsOf(renderToStaticMarkup(createElement(NewPasswordFields, { label: 'New', errors: {} })))
  expect(present).toHaveLength(1)
  expect(fresh).toHaveLength(2)
  for (const input of [...present, ...fresh]) expect(input).toContain('type="password"')
  expect(present[0]).toContain('autocomplete="current-password"')
  for (const input of fresh) expect(input).toContain('autocomplete="new-password"')
})

test('no page stands in the way of pasting, nor has a field for passwords of its own making', () => {
  const root = path.resolve(import.meta.dirname, '..')
  const pages = globSync('**/*.tsx', { cwd: root }).map((file) => ({
    file,
    text: readFileSync(path.join(root, file), 'utf8'),
  }))
  const having = (pattern: RegExp) => pages.filter(({ text }) => pattern.test(text)).map(({ file }) => file)
  // Takes what is pasted for a file.
  expect(having(/onPaste/)).toEqual(['imports/Upload.tsx'])
  expect(having(/<PasswordInput\b/)).toEqual(['ui/fields/SecretInput.tsx'])
  expect(having(/autoComplete="off"[^]{0,80}assword/)).toEqual([])
})
