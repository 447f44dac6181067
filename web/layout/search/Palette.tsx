import { useLocation } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { explain } from '#web/api/errors.ts'
import { visits } from '#web/api/visits.ts'
import { plural } from '#web/ui/format.ts'
import { useSession } from '../../session/useSession.ts'
import { OptionLine } from './OptionLine.tsx'
import { placesOf } from './places.ts'
import { foundSections, isCalled, startingSections, type Section } from './sections.ts'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import keys from '../keys.module.css'
import classes from './Palette.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { search } from '#contract/search.ts'
import { queryOf } from '#web/api/query.ts'
import { cut } from '#contract/platform/text/text.ts'

type Props = {
  /** Of the list, which the field names. */
  id: string
  text: string
  field: HTMLInputElement
  /** The text for whose answer Enter waits. */
  awaited: string | undefined
  onAwait: (text: string) => void
  /** The option that Enter opens, for the field to name. */
  onActive: (optionId: string | undefined) => void
  /** Something was chosen. */
  onDone: () => void
}

const optionId = (key: string) => `found-${key.replaceAll(/[^\w-]/g, '_')}`

/** Milliseconds without a key before the server is asked. */
const pause = 120
/** Of each kind. */
const limit = 4

/**
 * What the server has for a text that is being typed. A question that is no longer wanted is broken off; what the one before found
 * stays until the next answer. `isCurrent`: this is the answer to what stands in the field now.
 */
function useFound(text: string) {
  const wanted = cut(text.trim(), 500)
  const [asked, ask] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => ask(wanted), wanted === '' ? 0 : pause)
    return () => clearTimeout(timer)
  }, [wanted])
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...queryOf(search, { query: { q: asked, limit } }),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
  })
  const isAnswered = (data !== undefined && !isPlaceholderData) || error !== null
  return {
    found: wanted === '' ? undefined : data,
    error: wanted === '' ? null : error,
    isCurrent: wanted === '' || (wanted === asked && isAnswered),
    retry: () => void refetch(),
  }
}

/** What the search of the bar lists below its field, which keeps the focus. */
export function Palette({ id, text, field, awaited, onAwait, onActive, onDone }: Props) {
  const { user, viewing } = useSession()
  const here = useLocation({ select: ({ pathname }) => pathname })
  const places = useMemo(() => (user ? placesOf(user) : []), [user])
  const [visited, setVisited] = useState(() => (user && !viewing ? visits.read(user.id) : []))
  const { found, error, isCurrent, retry } = useFound(text)
  const isEmpty = text.trim() === ''
  const sections = useMemo(
    () => (isEmpty ? startingSections({ visited, here, places }) : foundSections(text.trim(), places, found)),
    [isEmpty, visited, here, places, text, found],
  )
  const isSure = isCurrent || isCalled(text, places)
  const active = useChoice({ field, text, sections, isSure, awaited, onAwait })
  useEffect(() => {
    onActive(active)
    return () => onActive(undefined)
  }, [active, onActive])

  const forget = () => {
    if (user) visits.forget(user.id)
    setVisited([])
    field.focus()
  }
  const isMixed = user?.role === 'superadmin'
  return (
    <div className={`${shapes.sheet} ${classes.found}`} data-stale={!isCurrent || undefined}>
      {found?.approximate && (
        <p className={`${classes.note} ${shapes.lead}`}>
          Nothing has exactly these words. This comes nearest:
        </p>
      )}
      <div role="listbox" id={id} aria-label="Found" aria-busy={!isCurrent}>
        {sections.map((section) => (
          <div key={section.key} role="group" aria-labelledby={`found-head-${section.key}`}>
            <div className={`${classes.head} ${shapes.spaceBetween} ${shapes.hint}`} role="presentation">
              <span id={`found-head-${section.key}`}>{section.label}</span>
              {section.note && <span>{section.note}</span>}
            </div>
            {section.options.map((option) => (
              <OptionLine
                key={option.key}
                id={optionId(option.key)}
                option={option}
                isActive={optionId(option.key) === active}
                isMixed={isMixed}
                onChoose={onDone}
              />
            ))}
          </div>
        ))}
      </div>
      {!isEmpty && !found && !error && <Waiting />}
      {error && <Failed title={explain(error).title} onRetry={retry} />}
      {!isEmpty && isCurrent && !error && sections.length === 0 && <Nothing q={text.trim()} />}
      {isEmpty && visited.length === 0 && (
        <p className={`${classes.note} ${shapes.lead}`}>
          Type a name, a title or an email address, or paste an id or an address of this console.
        </p>
      )}
      <p className={shapes.sr} role="status">
        {isCurrent && !error && announcement(sections, isEmpty)}
      </p>
      {isEmpty && visited.length > 0 && (
        <div className={`${classes.note} ${shapes.hint} ${shapes.spaceBetween}`}>
          <span>What you open is kept in this browser until you sign out.</span>
          <button type="button" className={shapes.link} onClick={forget}>
            Forget it
          </button>
        </div>
      )}
      <div className={`${classes.foot} ${shapes.hint} ${keys.keys}`}>
        <span aria-hidden>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span aria-hidden>
          <kbd>Enter</kbd> open
        </span>
        <span aria-hidden>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> in a new tab
        </span>
      </div>
    </div>
  )
}

function announcement(sections: readonly Section[], isEmpty: boolean): string {
  const counts = sections
    .filter(({ key }) => key !== 'all')
    .map(({ label, options }) => `${label} ${options.length}`)
  const total = sections
    .filter(({ key }) => key !== 'all')
    .reduce((sum, { options }) => sum + options.length, 0)
  if (total === 0) return isEmpty ? '' : 'Nothing found'
  return `${plural(total, 'result')}: ${counts.join(', ')}`
}

/**
 * The option that the keys stand on: the first one until somebody moves. Enter before the answer has come waits for it, so that it
 * never opens what belongs to half of a word.
 */
function useChoice(given: {
  field: HTMLInputElement
  text: string
  sections: readonly Section[]
  /** Whether the first option is the one that is meant, whatever may still be found. */
  isSure: boolean
  awaited: string | undefined
  onAwait: (text: string) => void
}): string | undefined {
  const { field, text, sections, awaited, onAwait } = given
  const [chosen, setChosen] = useState<{ text: string; id: string }>()
  const ids = sections.flatMap(({ options }) => options.map(({ key }) => optionId(key)))
  const moved = chosen?.text === text && ids.includes(chosen.id) ? chosen.id : undefined
  const active = moved ?? ids[0]
  const isSure = given.isSure || moved !== undefined
  useEffect(() => {
    if (awaited !== text || !isSure) return
    if (active === undefined) field.form?.requestSubmit()
    else document.getElementById(active)?.click()
  }, [awaited, text, isSure, active, field])

  const latest = useRef<(event: KeyboardEvent) => void>(undefined)
  useEffect(() => {
    latest.current = (event) => {
      const at = ids.indexOf(active ?? '')
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (event.isComposing || event.altKey) return
      if (step !== undefined && ids.length > 0) {
        event.preventDefault()
        const id = ids[(at + step + ids.length) % ids.length] ?? ''
        setChosen({ text, id })
        document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
      }
      // With nothing to open the form leads to the page of all results, which says what to try.
      if (event.key !== 'Enter' || (isSure && active === undefined)) return
      event.preventDefault()
      const option = document.getElementById(active ?? '')
      if (!isSure) onAwait(text)
      else if ((event.ctrlKey || event.metaKey) && option instanceof HTMLAnchorElement)
        window.open(option.href, '_blank', 'noopener')
      else option?.click()
    }
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current?.(event)
    field.addEventListener('keydown', listen)
    return () => field.removeEventListener('keydown', listen)
  }, [field])
  return active
}

function Waiting() {
  return (
    <div className={`${classes.note} ${shapes.stack}`} aria-hidden>
      <Bone height={40} />
      <Bone height={40} />
      <Bone height={40} />
    </div>
  )
}

function Nothing({ q }: { q: string }) {
  return (
    <div className={shapes.missing}>
      <strong>Nothing found for “{q}”</strong>
      <p className={shapes.hint}>
        Try fewer letters or another word of the name, or paste an id or an email address.
      </p>
    </div>
  )
}

function Failed({ title, onRetry }: { title: string; onRetry: () => void }) {
  return (
    <div className={shapes.missing} role="alert">
      <strong>{title}</strong>
      <p className={shapes.hint}>The search did not answer.</p>
      <button type="button" className={shapes.link} onClick={onRetry}>
        Try again
      </button>
    </div>
  )
}
