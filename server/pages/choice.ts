import type { FastifyReply, FastifyRequest } from 'fastify'
import { languages } from '#contract/platform/text/languages.ts'
import type { Env } from '#server/platform/env.ts'

type LanguageRequest = Pick<FastifyRequest, 'cookies'> & { query: unknown }

const isLanguage = (query: unknown): query is { language: unknown } =>
  typeof query === 'object' && query !== null && 'language' in query

/** The browser keeps the language that somebody has chosen on the page of a video, because whoever holds a link need not be its person. */
const choiceCookie = 'video-language'
const choiceSeconds = 365 * 86_400

/** Returns the language that the address names, or that was chosen before. */
export function chosenIn({ query, cookies }: LanguageRequest): unknown {
  return (isLanguage(query) ? query.language : undefined) ?? cookies[choiceCookie]
}

export function rememberChoice({ publicUrl }: Env, { query }: LanguageRequest, reply: FastifyReply): void {
  const chosen = languages.find((language) => isLanguage(query) && language === query.language)
  if (chosen)
    reply.header(
      'set-cookie',
      `${choiceCookie}=${chosen}; Path=/w/; Max-Age=${choiceSeconds}; HttpOnly; SameSite=Lax${publicUrl?.startsWith('https:') ? '; Secure' : ''}`,
    )
}
