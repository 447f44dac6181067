import { IconCompass } from '@tabler/icons-react'
import type { SearchHit, Mark } from '#contract/search.ts'
import { Avatar, OrganizationMark } from '#web/ui/Avatar.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { formatDate } from '#web/ui/format.ts'
import { factsOf, kindIcons, unusualState } from './words.ts'
import two from '#web/ui/look/twoLines.module.css'
import classes from './HitLine.module.css'
import shapes from '#web/ui/look/shapes.module.css'

/** A face, a logo or the sign of its kind. */
export function Sign({ kind, title, picture }: { kind: string; title: string; picture: string | null }) {
  if (kind === 'user') return <Avatar name={title} picture={picture} />
  if (kind === 'organization' && picture) return <OrganizationMark name={title} picture={picture} />
  const Icon = kindIcons[kind] ?? IconCompass
  return (
    <span className={`${shapes.blank} ${two.sign}`} aria-hidden>
      <Icon size={18} stroke={1.6} />
    </span>
  )
}

/** What was found, in two lines: what it is called, and what tells it from others. */
export function HitLine({ hit, isMixed }: { hit: SearchHit; isMixed: boolean }) {
  const state = unusualState(hit)
  const isDated = hit.kind === 'content' || hit.kind === 'transmission'
  const facts = [...factsOf(hit, isMixed), ...(isDated ? [formatDate(hit.createdAt)] : [])]
  return (
    <>
      <Sign {...hit} />
      <span className={two.lines}>
        <span>
          <Marked text={hit.title} marks={hit.titleMarks} />
        </span>
        <span className={classes.detail}>
          {hit.detail !== '' && (
            <span className={shapes.cut}>
              <Marked text={hit.detail} marks={hit.detailMarks} />
            </span>
          )}
          {facts.map((fact) => (
            <span key={fact} className={`${shapes.cut} ${classes.fact}`}>
              {fact}
            </span>
          ))}
        </span>
      </span>
      {state && <StatusBadge tone={state.tone}>{state.word}</StatusBadge>}
    </>
  )
}

/** A text whose agreeing parts stand out. */
function Marked({ text, marks }: { text: string; marks: readonly Mark[] }) {
  const parts = marks.map(([from, to], at) => {
    const before = marks[at - 1]?.[1] ?? 0
    return (
      <span key={from}>
        {text.slice(before, from)}
        <mark className={classes.mark}>{text.slice(from, to)}</mark>
      </span>
    )
  })
  return (
    <>
      {parts}
      {text.slice(marks.at(-1)?.[1] ?? 0)}
    </>
  )
}
