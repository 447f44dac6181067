import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Attention } from '#contract/overview.ts'
import { useUser } from '../../shell/useSession.ts'
import { attentionWords, sentenceOf } from './words.ts'

const icons = { danger: IconCircleX, warning: IconAlertTriangle, info: IconInfoCircle }

/** What somebody should do, the most urgent first, each with the way to where it is done. */
export function NeedsAttention({ orgId, items }: { orgId: string; items: readonly Attention[] }) {
  return (
    <section className="ui-card overview-part" aria-labelledby="attention">
      <header>
        <h2 id="attention">Needs attention</h2>
        {items.length > 0 && <p>{items.length}</p>}
      </header>
      {items.length === 0 ? (
        <p className="overview-calm">
          <IconCircleCheck size={20} aria-hidden /> Nothing. Everybody can be reached, and nothing is stuck.
        </p>
      ) : (
        <ul className="overview-todo">
          {items.map((item) => (
            <Item key={item.kind} orgId={orgId} item={item} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Item({ orgId, item }: { orgId: string; item: Attention }) {
  const { tone, todo, all } = attentionWords[item.kind]
  const Icon = icons[tone === 'danger' || tone === 'warning' ? tone : 'info']
  const { to, search, label } = all(orgId)
  return (
    <li data-tone={tone}>
      <Icon size={20} aria-hidden />
      <div>
        <p className="overview-matter">{sentenceOf(item)}</p>
        <p>{todo}</p>
        {item.samples.length > 0 && <Samples orgId={orgId} item={item} />}
      </div>
      <Link to={to} search={search} aria-label={`${label}: ${sentenceOf(item)}`}>
        {label}
      </Link>
    </li>
  )
}

/** By name, and to each of them for whoever may open the page. */
function Samples({ orgId, item: { kind, samples, count } }: { orgId: string; item: Attention }) {
  const { role } = useUser()
  const { one } = attentionWords[kind]
  const rest = count - samples.length
  return (
    <p className="overview-samples">
      {samples.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          {one && role !== 'groupadmin' ? <Link to={one(orgId, id)}>{name}</Link> : name}
        </span>
      ))}
      {rest > 0 && ' and others'}
    </p>
  )
}
