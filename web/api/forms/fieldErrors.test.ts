import { expect, test } from 'vitest'
import { fieldProblems } from '#contract/problems.ts'
import { UserInput } from '#contract/directory/users.ts'
import { ApiError } from '../errors.ts'
import { fieldErrors, serverFieldErrors } from './fieldErrors.ts'

test('good values have no errors', () => {
  expect(fieldErrors(UserInput, { name: 'Ada', email: 'ada@example.test' })).toEqual({})
})

test('each field gets the sentence of its first problem', () => {
  expect(fieldErrors(UserInput, { name: '  ', email: 'ada' })).toEqual({
    name: fieldProblems.required,
    email: fieldProblems.invalid_email,
  })
  expect(fieldErrors(UserInput, { name: 'x'.repeat(300), email: '' })).toEqual({
    name: fieldProblems.too_long,
    email: fieldProblems.required,
  })
})

test('what is missing is required, what has the wrong type is invalid', () => {
  expect(fieldErrors(UserInput, { email: 'ada@example.test' })).toEqual({ name: fieldProblems.required })
  expect(fieldErrors(UserInput, { name: 'Ada', email: 'ada@example.test', groupIds: ['no id'] })).toEqual({
    'groupIds.0': fieldProblems.invalid,
  })
})

test('errors of the server land on their fields', () => {
  const error = new ApiError('problem', {
    status: 409,
    problem: {
      type: '',
      status: 409,
      code: 'already_exists',
      fields: { email: ['taken'], x: ['strange'] },
    },
  })
  expect(serverFieldErrors(error)).toEqual({ email: fieldProblems.taken, x: fieldProblems.invalid })
  expect(serverFieldErrors(new Error('other'))).toEqual({})
})
