import { Link } from '@tanstack/react-router'
import type { SearchGroup } from '#contract/search.ts'
import { paths } from '#web/paths.ts'
import { HitLine } from '#web/layout/search/HitLine.tsx'
import { kindLabels, toMoment } from '#web/layout/search/words.ts'
import { useUser } from '#web/session/useSession.ts'
import { formatNumber } from '#web/ui/format.ts'
import { Pager } from '#web/ui/table/Pager.tsx'
import classes from './Group.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import partClasses from '#web/ui/look/part.module.css'

/** Hits of one kind on a page of their own. */
export const onPage = 25

type Props = {
  group: SearchGroup
  q: string
  /** Alone: from this hit on, page by page; else the best few. */
  page: { offset: number; onOffset: (offset: number) => void } | undefined
}

export function Group({ group, q, page }: Props) {
  const { kind, hits, total, totalIsMinimum } = group
  const { role } = useUser()
  const isMore = !page && total > hits.length
  const count = `${totalIsMinimum ? 'more than ' : ''}${formatNumber(total)}`
  return (
    <section className={`${shapes.card} ${partClasses.part}`} aria-labelledby={`search-${kind}`}>
      <header className={shapes.spaceBetween}>
        <h2 id={`search-${kind}`}>{kindLabels[kind].many}</h2>
        <p>{count}</p>
      </header>
      <ul>
        {hits.map((hit) => (
          <li key={hit.id}>
            <Link to={hit.path} {...toMoment(hit)} className={`${shapes.named} ${classes.hit}`}>
              <HitLine hit={hit} isMixed={role === 'superadmin'} />
            </Link>
          </li>
        ))}
      </ul>
      {isMore && (
        <footer>
          <Link to={paths.search()} search={{ q, kind }}>
            {totalIsMinimum ? 'Show the best' : 'Show all'} {formatNumber(total)} in {kindLabels[kind].many}
          </Link>
        </footer>
      )}
      {page && (
        <footer className={shapes.stack}>
          <Pager
            items={hits}
            total={total}
            totalIsMinimum={totalIsMinimum}
            offset={page.offset}
            limit={onPage}
            next={page.offset + hits.length < total ? paths.search() : null}
            onOffset={page.onOffset}
          />
          {totalIsMinimum && (
            <p className={shapes.hint}>These are the best of them. Another word narrows them down.</p>
          )}
        </footer>
      )}
    </section>
  )
}
