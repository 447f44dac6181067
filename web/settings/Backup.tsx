import { Button, Checkbox, NumberInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { IconArchive } from '@tabler/icons-react'
import {
  BackupPlanInput,
  planRanges,
  readBackupPlan,
  readBackups,
  startBackup,
  updateBackupPlan,
  type Backup as Made,
  type BackupOrigin,
  type Backups,
  type CheckRhythm,
} from '#contract/backup.ts'
import type { Reply } from '#contract/endpoint.ts'
import { attempt } from '#web/api/attempt.ts'
import { useContractForm } from '#web/api/forms/form.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useChange, useList } from '#web/api/query.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { choicesOf, RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { formatBytes, formatDuration, formatNumber } from '#web/ui/format.ts'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { StatusBadge, type Tone } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import shapes from '#web/ui/look/shapes.module.css'
import '#web/ui/fields/fields.ts'

/** When the installation is backed up, what is made or checked right now, and what there is. */
export function Backup() {
  const { page, error, retry } = useList(readBackups, {}, { every: 3_000 })
  if (error || !page) return <NotRead error={error} retry={retry} height={480} />
  return (
    <div className={shapes.stack}>
      <Present backups={page} />
      <Plan />
      <section className={shapes.stack} aria-labelledby="backups">
        <h2 id="backups">What there is</h2>
        <HowToCheck backups={page} />
        <DataTable
          name="Backups, newest first"
          columns={columns}
          rows={page.items}
          rowKey={({ name }) => name}
          empty={none}
        />
      </section>
    </div>
  )
}

const none = (
  <EmptyState title="There is no backup yet" icon={<IconArchive size={24} />}>
    Press “Back up now”, and switch the plan on, so that there is one of every day.
  </EmptyState>
)

function Present({ backups }: { backups: Backups }) {
  const start = useChange(startBackup, [readBackups])
  const { folder, recipient, canMake, running, isAsked, failure, checkFailure, items } = backups
  const [newest] = items
  const press = () => attempt(() => start.mutateAsync({}), 'A backup begins.')
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}
      aria-labelledby="backup-now"
    >
      <h2 id="backup-now">{headOf(backups)}</h2>
      {!running && newest && (
        <p>
          The newest was made <RelativeTime iso={newest.at} />.
        </p>
      )}
      {running && (
        <p role="status">
          {progressOf(running)} Everything goes on meanwhile. It began at <DateTime iso={running.since} />.
          {running.work === 'check' && ' It is restored into a place that is thrown away, and compared.'}
        </p>
      )}
      {failure && (
        <p role="alert">
          The last one was not made, or not whole (<DateTime iso={failure.at} />
          ): {failure.message}
        </p>
      )}
      {checkFailure && (
        <p role="alert">
          The last check came to no result (<DateTime iso={checkFailure.at} />
          ): {checkFailure.message}
        </p>
      )}
      {!canMake && (
        <p>
          The server knows the role that serves alone. To make backups it has to read as the owner of the
          tables: the operator names its address in DATABASE_OWNER_URL.
        </p>
      )}
      <Facts
        facts={[
          { label: 'Kept in', value: <code>{folder}</code> },
          {
            label: 'Encrypted',
            value:
              recipient === null ? 'No: whoever can read them has all of the data' : <code>{recipient}</code>,
          },
        ]}
      />
      <p className={shapes.hint}>
        The operator sets where they lie and for whom they are encrypted (BACKUP_DIR, BACKUP_RECIPIENT). Keep
        a copy on another machine.
      </p>
      <div className={shapes.row}>
        <Button
          loading={start.isPending}
          disabled={!canMake || running?.work === 'backup' || isAsked}
          onClick={() => void press()}
        >
          Back up now
        </Button>
      </div>
    </section>
  )
}

function headOf({ running, isAsked, failure, items }: Backups): string {
  if (running?.work === 'backup') return 'A backup is being made'
  if (isAsked) return 'A backup is about to begin'
  if (running) return 'The newest backup is being checked'
  if (failure) return 'The last backup failed'
  return items.length === 0 ? 'Not backed up yet' : 'Backups are made'
}

function progressOf({ step, done, total }: NonNullable<Backups['running']>): string {
  if (step === null || done === null || total === null) return 'It begins.'
  return step === 'tables'
    ? `Table ${formatNumber(done + 1)} of ${formatNumber(total)}.`
    : `${formatBytes(done)} of ${formatBytes(total)} of files.`
}

/** What the list cannot tell: how one is checked for which the server has no key, and what nobody can read. */
function HowToCheck({ backups: { items, folder, unreadable } }: { backups: Backups }) {
  return (
    <>
      {items.some(({ isEncrypted }) => isEncrypted) && (
        <p className={shapes.hint}>
          The server has no key to encrypted backups and cannot check them. Whoever has the key does, on any
          machine that reaches the backups: <code>./sendreel backup --check --identity key.txt</code>
        </p>
      )}
      {items.some(({ origin }) => origin === 'unsigned') && (
        <p className={shapes.hint}>
          Backups that are not signed were made by an earlier release, or somebody took their signature away.
          Restoring one takes <code>--unsigned</code>.
        </p>
      )}
      {items.some(({ origin }) => origin === 'foreign') && (
        <Notice tone="danger" role="alert">
          A backup with another signature was changed after it was made, or made under a secret that has
          ended. Restoring one takes <code>--foreign</code>.
        </Notice>
      )}
      {unreadable.length > 0 && (
        <Notice tone="warning" role="alert">
          What describes these backups cannot be read: <code>{unreadable.join(', ')}</code>. They stay, and so
          does every file that belonged to a removed backup, until somebody repairs them or removes them by
          hand from <code>{folder}</code>.
        </Notice>
      )}
    </>
  )
}

function Plan() {
  const { page: plan, error, retry } = useList(readBackupPlan, {})
  if (error) return <NotRead error={error} retry={retry} height={240} />
  if (!plan) return <Bone height={240} />
  return <PlanForm plan={plan} />
}

type PlanReply = Reply<typeof readBackupPlan>

const labels = {
  isOn: 'Back up every day',
  hour: 'Hour (UTC)',
  daily: 'Days',
  weekly: 'Weeks',
  monthly: 'Months',
  checkEvery: 'Check the newest',
}

const rhythms: Record<CheckRhythm, { label: string; means: string }> = {
  week: {
    label: 'Once a week',
    means: 'After the backup, with low priority; it takes room for a second database.',
  },
  backup: { label: 'After every backup', means: 'The same each time.' },
  never: { label: 'Never', means: 'Somebody does it by hand, at best each month.' },
}

function PlanForm({ plan }: { plan: PlanReply }) {
  const update = useChange(updateBackupPlan, [readBackupPlan, readBackups])
  const { isOn, hour, daily, weekly, monthly, checkEvery } = plan
  const { form, field, layout, isDirty } = useContractForm<BackupPlanInput, PlanReply>({
    schema: BackupPlanInput,
    initialValues: { isOn, hour, daily, weekly, monthly, checkEvery },
    labels,
    save: (body) => update.mutateAsync({ body, ifMatch: plan }),
    onSaved: async () => toast.success('The plan was saved.'),
  })
  return (
    <section className={shapes.stack} aria-labelledby="backup-plan">
      <h2 id="backup-plan">Plan</h2>
      <FormLayout {...layout} submitLabel="Save the plan">
        <Checkbox
          {...field('isOn')}
          checked={form.values.isOn}
          onChange={(event) => form.setFieldValue('isOn', event.currentTarget.checked)}
          description="At the hour below, by universal time, and soon after the start where the server was off then."
        />
        <NumberInput {...field('hour')} {...within(planRanges.hour)} />
        <p className={shapes.hint}>
          Of so many days, weeks and months the newest backup stays; the last good one always does.
        </p>
        <div className={shapes.grid}>
          <NumberInput {...field('daily')} {...within(planRanges.daily)} />
          <NumberInput {...field('weekly')} {...within(planRanges.weekly)} />
          <NumberInput {...field('monthly')} {...within(planRanges.monthly)} />
        </div>
        <RadioChoices
          {...field('checkEvery')}
          description="A check restores a backup into a place that is thrown away, and compares every table and every file."
          choices={choicesOf(rhythms)}
        />
      </FormLayout>
      <UnsavedGuard isDirty={isDirty} />
    </section>
  )
}

const within = ([min, max]: readonly [number, number]) => ({
  min,
  max,
  description: `From ${formatNumber(min)} to ${formatNumber(max)}`,
  clampBehavior: 'none' as const,
  allowDecimal: false,
})

const origins: Record<Exclude<BackupOrigin, 'unknown'>, { tone: Tone; word: string }> = {
  ours: { tone: 'success', word: 'Ours' },
  unsigned: { tone: 'warning', word: 'Not signed' },
  foreign: { tone: 'danger', word: 'Another signature' },
}

const columns: readonly Column<Made>[] = [
  { key: 'at', header: 'Made', isName: true, cell: ({ at }) => <DateTime iso={at} /> },
  {
    key: 'kind',
    header: 'Of',
    width: '240px',
    cell: ({ kind, isEncrypted }) =>
      `${kind === 'whole' ? 'Everything' : 'Tables, before an upgrade'}${isEncrypted ? ', encrypted' : ''}`,
  },
  {
    key: 'origin',
    header: 'Signature',
    width: '168px',
    cell: ({ origin }) =>
      origin !== 'unknown' && <StatusBadge tone={origins[origin].tone}>{origins[origin].word}</StatusBadge>,
  },
  { key: 'bytes', header: 'Size', align: 'end', width: '112px', cell: ({ bytes }) => formatBytes(bytes) },
  {
    key: 'new',
    header: 'New in it',
    align: 'end',
    width: '112px',
    dimmed: true,
    from: 'md',
    cell: ({ newBytes }) => formatBytes(newBytes),
  },
  {
    key: 'took',
    header: 'Took',
    align: 'end',
    width: '112px',
    dimmed: true,
    from: 'md',
    cell: ({ tookMs }) => formatDuration(Math.max(1_000, tookMs)),
  },
  { key: 'checked', header: 'Checked', width: '160px', cell: Checked },
]

function Checked({ checked }: Made) {
  if (!checked) return <span className={shapes.unit}>Not yet</span>
  if (checked.fault !== null)
    return (
      <StatusBadge tone="danger" title={checked.fault}>
        Damaged
      </StatusBadge>
    )
  return <DateTime iso={checked.at} />
}
