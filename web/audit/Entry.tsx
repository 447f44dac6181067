import { Button } from '@mantine/core'
import { deviceName } from '#contract/platform/devices.ts'
import type { AuditEntry } from '#contract/platform/audit.ts'
import { Facts } from '#web/ui/fields/Field.tsx'
import { Fold } from '#web/ui/Fold.tsx'
import { dash } from '#web/ui/format.ts'
import { PlainTable } from '#web/ui/table/PlainTable.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import type { AuditState } from './Filters.tsx'
import classes from './Entry.module.css'
import { changesOf } from '#web/audit/changes.ts'
import { sentenceOf } from '#web/audit/sentences.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { entry: AuditEntry; onFilter: (patch: Partial<AuditState>) => void }
type StoryProps = Pick<Props, 'onFilter'> & { story: readonly AuditEntry[] }

/** One line for one event, which opens to its entries where there are several. */
export function Story({ story, onFilter }: StoryProps) {
  const [entry, ...others] = story
  if (!entry) return null
  if (others.length === 0) return <Entry entry={entry} onFilter={onFilter} />
  return (
    <li>
      <Fold line={<Line entry={entry} more={others.length} />}>
        <ul className={`${shapes.ruled} ${classes.parts}`}>
          {story.map((one) => (
            <Entry key={one.id} entry={one} onFilter={onFilter} />
          ))}
        </ul>
      </Fold>
    </li>
  )
}

function Line({ entry, more = 0 }: { entry: AuditEntry; more?: number }) {
  return (
    <span className={`${shapes.spaceBetween} ${classes.line}`}>
      <span>
        {sentenceOf(entry).map(({ key, text, isName }) =>
          isName ? <strong key={key}>{text}</strong> : <span key={key}>{text}</span>,
        )}
        {more > 0 && <span className={shapes.unit}> · {more} more</span>}
      </span>
      <small>
        <DateTime iso={entry.at} />
      </small>
    </span>
  )
}

/** One line that says what happened; opened, all that is known about it. */
function Entry({ entry, onFilter }: Props) {
  return (
    <li>
      <Fold line={<Line entry={entry} />}>
        <div className={`${shapes.pad} ${shapes.stack}`}>
          <Changes entry={entry} />
          <Circumstances entry={entry} />
          <Narrower entry={entry} onFilter={onFilter} />
        </div>
      </Fold>
    </li>
  )
}

function Changes({ entry }: { entry: AuditEntry }) {
  if (entry.isErased) return <p>Names and details of this entry were erased on a person's request.</p>
  const changes = changesOf(entry)
  if (changes.length === 0) return null
  return (
    <PlainTable name="What changed" heads={['Field', 'Before', 'After']}>
      {changes.map(({ field, label, before, after }) => (
        <tr key={field}>
          <th scope="row">{label}</th>
          <td data-label="Before">{before === null ? dash : <del>{before}</del>}</td>
          <td data-label="After">{after === null ? dash : <ins>{after}</ins>}</td>
        </tr>
      ))}
    </PlainTable>
  )
}

function Circumstances({ entry }: { entry: AuditEntry }) {
  const { organizationName, network, browser, requestId, seal, action, actor, key } = entry
  const from = [network, browser && deviceName(browser)].filter(Boolean).join(', ')
  return (
    <Facts
      facts={[
        { label: 'Action', value: <code>{action}</code> },
        ...(organizationName ? [{ label: 'Organization', value: organizationName }] : []),
        ...(key ? [{ label: 'Answers for the key', value: actor?.name ?? dash }] : []),
        { label: 'From', value: from || dash },
        ...(requestId ? [{ label: 'Request', value: <code>{requestId}</code> }] : []),
        {
          label: 'Link',
          value: seal ? (
            <>
              {seal.seq}, <code>{seal.hash.slice(0, 12)}…</code>
            </>
          ) : (
            'Not sealed yet'
          ),
        },
      ]}
    />
  )
}

/** The way to what else this person did, and what else happened to this thing. */
function Narrower({ entry: { actor, entity, entityId, entityName }, onFilter }: Props) {
  if (!actor && !entityId) return null
  return (
    <div className={shapes.row}>
      {actor && (
        <Button variant="default" size="xs" onClick={() => onFilter({ actor: actor.id })}>
          Everything by {actor.name ?? 'this person'}
        </Button>
      )}
      {entityId && (
        <Button variant="default" size="xs" onClick={() => onFilter({ entity, entityId })}>
          Everything about {entityName ?? 'this'}
        </Button>
      )}
    </div>
  )
}
