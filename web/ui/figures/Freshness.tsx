import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { formatMoment } from '../format.ts'
import shapes from '../look/shapes.module.css'
import classes from './Freshness.module.css'

type Props = {
  /** When the oldest of the figures was read; milliseconds since 1970, 0 before the first time. */
  at: number
  isBusy: boolean
  /** Why the last try failed, within a sentence. */
  trouble: string | undefined
  /** What has changed since this instant is not in them yet. */
  asOf: string | null
  again: () => Promise<void>
  /** The page reads them again by itself; a button is then there only after a failure. */
  isLive?: boolean
  /** The page says it with its figures: here are words only where something went wrong. */
  isToldElsewhere?: boolean
}

/**
 * When the figures of a page were read, and the way to newer ones. What went wrong, that it works again, and what was asked for is
 * read aloud; that figures renew themselves is not.
 */
export function Freshness({ at: readAt, isBusy, trouble, asOf, again, isLive, isToldElsewhere }: Props) {
  const isBehind = asOf !== null && trouble === undefined
  const at = isBehind ? Date.parse(asOf) : readAt
  const said = useSaid({ at, trouble })
  const [isAsked, setAsked] = useState(false)
  const ask = async () => {
    setAsked(true)
    said.clear()
    await again()
    setAsked(false)
    said.ask()
  }
  const hasButton = trouble !== undefined || !isLive || isAsked
  return (
    <span
      className={`${shapes.row} ${shapes.hint} ${classes.fresh}`}
      data-part="fresh"
      data-troubled={trouble !== undefined || undefined}
    >
      {trouble !== undefined && <IconAlertTriangle size={14} aria-hidden />}
      <span hidden={isToldElsewhere && !isBehind && trouble === undefined}>
        {at > 0 ? (
          <>
            {isBehind ? 'As of' : trouble === undefined ? 'Updated' : 'Not updated since'}{' '}
            <time dateTime={new Date(at).toISOString()}>{formatMoment(at)}</time>
          </>
        ) : (
          // Without any words the line would stand lower.
          '\u00a0'
        )}
        {trouble !== undefined && (at > 0 ? `: ${trouble}` : `Not read yet: ${trouble}`)}
      </span>
      {hasButton && (
        <button
          type="button"
          className={shapes.link}
          aria-disabled={isBusy}
          aria-busy={isBusy}
          onClick={() => !isBusy && void ask()}
        >
          <IconRefresh size={14} aria-hidden />
          {trouble === undefined ? 'Refresh' : 'Try again'}
        </button>
      )}
      <span role="status" className={shapes.sr}>
        {said.text}
      </span>
    </span>
  )
}

/** What is read aloud: a failure, that it is over, and the answer to whoever asked. */
function useSaid({ at, trouble }: Pick<Props, 'at' | 'trouble'>) {
  const [asked, setAsked] = useState(0)
  const [last, setLast] = useState({ trouble, asked, text: '' })
  if (last.trouble !== trouble || last.asked !== asked)
    setLast({ trouble, asked, text: wordsOf({ at, trouble }) })
  return {
    text: last.text,
    /** The same words are read aloud again only if there were none in between. */
    clear: () => setLast({ trouble, asked, text: '' }),
    ask: () => setAsked((times) => times + 1),
  }
}

function wordsOf({ at, trouble }: Pick<Props, 'at' | 'trouble'>): string {
  if (at === 0) return trouble === undefined ? '' : `Not read yet: ${trouble}.`
  return trouble === undefined
    ? `Updated at ${formatMoment(at)}.`
    : `Not updated since ${formatMoment(at)}: ${trouble}.`
}
