import { Link } from '@tanstack/react-router'
import type { InFlight } from '#contract/overview.ts'
import { paths } from '../../paths.ts'
import { reasonWords, transmissionWords } from '../../words/transmissions.ts'
import { formatNumber, plural } from '../../ui/format.ts'
import { ShareBar } from '../../ui/ShareBar.tsx'
import { StatusBadge } from '../../ui/StatusBadge.tsx'

/** Transmissions that have begun and not ended, with how far they are. */
export function UnderWay({ total, items }: { total: number; items: readonly InFlight[] }) {
  return (
    <section className="ui-card ui-part" aria-labelledby="under-way">
      <header>
        <h2 id="under-way">Being sent</h2>
        {total > items.length && (
          <p>
            {items.length} of {formatNumber(total)}
          </p>
        )}
      </header>
      {items.length === 0 ? (
        <p className="ui-calm">Nothing is being sent right now.</p>
      ) : (
        <ul className="ui-rows">
          {items.map((one) => (
            <Row key={one.id} one={one} />
          ))}
        </ul>
      )}
      <footer>
        <Link to={paths.transmissions()}>All transmissions</Link>
      </footer>
    </section>
  )
}

function Row({ one }: { one: InFlight }) {
  const { id, subject, state, reason, sent, troubled, dropped, audienceTotal } = one
  const { word, tone, means } = transmissionWords[state]
  const parts = [
    { tone: 'success', value: sent, label: `${formatNumber(sent)} sent` },
    { tone: 'danger', value: troubled, label: plural(troubled, 'problem') },
    { tone: 'neutral', value: dropped, label: `${formatNumber(dropped)} left out` },
  ] as const
  return (
    <li>
      <div className="ui-line">
        <Link to={paths.transmission(id)} title={subject}>
          {subject}
        </Link>
        <StatusBadge tone={tone} title={reason ? reasonWords[reason] : means}>
          {word}
        </StatusBadge>
      </div>
      <ShareBar parts={parts} total={audienceTotal} />
      <p>
        {formatNumber(sent)} of {formatNumber(audienceTotal)} sent
        {troubled > 0 && `, ${plural(troubled, 'problem')}`}
      </p>
    </li>
  )
}
