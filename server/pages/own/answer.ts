import type { FastifyRequest } from 'fastify'
import type { Language } from '#contract/platform/text/languages.ts'
import { languageOf } from '../../platform/http/pages/languages.ts'
import { chosenIn } from '../choice.ts'
import type { Owner } from './owner.ts'

export function languageFor(request: FastifyRequest, owner: Owner | undefined): Language {
  const chosen = chosenIn(request)
  if (owner) return languageOf(chosen, '', owner.language ?? owner.usualLanguage)
  return languageOf(chosen, request.headers['accept-language'])
}
