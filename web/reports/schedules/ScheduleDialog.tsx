import { Checkbox, Stack, Textarea } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { fileFormats, type FileFormat } from '#contract/platform/file-formats.ts'
import { reportHeads, type ReportName } from '#contract/reports/report-heads.ts'
import {
  createReportSchedule,
  listReportSchedules,
  planReportSchedule,
  rhythms,
  schedulePeriods,
  updateReportSchedule,
  type ReportSchedule,
  type ScheduledView,
  type SchedulePeriod,
  mostAddresses,
  type AddressState,
} from '#contract/reports/report-schedules.ts'
import { plural } from '#contract/platform/text/format.ts'
import { explain, sentence } from '#web/api/errors.ts'
import { useChange, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { FieldGroup } from '#web/ui/fields/Field.tsx'
import '#web/ui/fields/fields.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import * as words from './labels.ts'
import { addressStateLabels } from './labels.ts'
import classes from './schedules.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { isAddress } from '#contract/identity/addresses.ts'
import { StatusBadge, type Tone } from '#web/ui/figures/StatusBadge.tsx'

type Props = {
  report: ReportName
  view: ScheduledView
  /** Whose figures; null for all organizations together. */
  organizationId: string | null
  /** To be changed; without one, a new one is made. */
  schedule?: ReportSchedule
  /** Of the saved view that it is made from; without one, what suits the rhythm. */
  period?: SchedulePeriod
  /** The days that the page shows were chosen, and mails have days of their own. */
  hasChosenDays?: boolean
  onClose: () => void
}

type Settings = Pick<ReportSchedule, 'rhythm' | 'weekday' | 'monthDay' | 'hour' | 'period' | 'formats'>

const usual: Settings = { rhythm: 'weekly', weekday: 1, monthDay: 1, hour: 7, period: '7d', formats: [] }
const hours = Array.from({ length: 24 }, (_hour, n) => ({ value: String(n), label: words.hourName(n) }))
const monthDays = Array.from({ length: 31 }, (_day, n) => ({
  value: String(n + 1),
  label: words.monthDayName(n + 1),
}))
const weekdays = words.weekdayNames.map((label, n) => ({ value: String(n + 1), label }))

function namesOf<Value extends string>(values: readonly Value[], names: Record<Value, string>) {
  return values.map((value) => ({ value, label: names[value] }))
}

type KnownAddresses = ReportSchedule['addresses']

const tones: Record<AddressState, Tone> = { waiting: 'info', confirmed: 'success', ended: 'neutral' }

/** One a line. Who has ended it is not written to again, and so is not among those to be changed. */
const textOf = (known: KnownAddresses): string =>
  known.flatMap(({ address, state }) => (state === 'ended' ? [] : [address])).join('\n')

const typedIn = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)

/** What is wrong with them, as a sentence; null: nothing. */
function faultOf(addresses: readonly string[]): string | null {
  const wrong = addresses.find((one) => !isAddress(one))
  if (wrong !== undefined) return `“${wrong}” is not an email address.`
  return addresses.length > mostAddresses
    ? `A report goes to ${mostAddresses} further addresses at most.`
    : null
}

type ReadersProps = { text: string; known: KnownAddresses; onChange: (text: string) => void }

/** To whom it goes beside its owner, and who of them has agreed. */
function Readers({ text, known, onChange }: ReadersProps) {
  return (
    <>
      <Textarea
        label="Also to"
        description={`Up to ${mostAddresses} email addresses, one a line. Each is asked by a mail first, and gets nothing before somebody there agrees.`}
        rows={2}
        value={text}
        onChange={({ currentTarget: { value } }) => onChange(value)}
      />
      {known.length > 0 && (
        <ul aria-label="Who has agreed">
          {known.map(({ address, state }) => (
            <li key={address} className={shapes.row}>
              <StatusBadge tone={tones[state]}>{addressStateLabels[state]}</StatusBadge> {address}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** When a report comes by mail, over which days, and what is attached. */
export function ScheduleDialog(props: Props) {
  const { report, view, organizationId, schedule, period, hasChosenDays = false, onClose } = props
  const { title } = reportHeads[report]
  const [settings, setSettings] = useState<Settings>(schedule ?? { ...usual, ...(period && { period }) })
  const [also, setAlso] = useState(textOf(schedule?.addresses ?? []))
  const [error, setError] = useState<string | null>(null)
  const create = useChange(createReportSchedule, [listReportSchedules])
  const update = useChange(updateReportSchedule, [listReportSchedules])
  const change = (patch: Partial<Settings>) => setSettings({ ...settings, ...patch })
  const submit = async () => {
    const { rhythm, weekday, monthDay, hour, period, formats } = settings
    const addresses = typedIn(also)
    const fault = faultOf(addresses)
    if (fault !== null) return setError(fault)
    const body = { rhythm, weekday, monthDay, hour, period, formats, addresses }
    try {
      const saved = schedule
        ? await update.mutateAsync({ params: { scheduleId: schedule.id }, body, ifMatch: schedule })
        : await create.mutateAsync({ body: { report, view, ...body } })
      toast.success(`${title} comes by mail: ${words.rhythmText(saved).toLowerCase()}.`)
      onClose()
    } catch (refusal) {
      setError(sentence(refusal))
    }
  }
  return (
    <FormDialog
      title={schedule ? `Edit ${title} by mail` : `Send ${title} by mail`}
      submitLabel={schedule ? 'Save' : 'Send by mail'}
      isBusy={create.isPending || update.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap={16}>
        <When settings={settings} onChange={change} />
        <NativeChoice
          label="Over"
          data={namesOf(schedulePeriods, words.periodNames)}
          value={settings.period}
          onChange={({ currentTarget: { value } }) =>
            change({ period: schedulePeriods.find((one) => one === value) ?? settings.period })
          }
        />
        <Attached formats={settings.formats} onChange={(formats) => change({ formats })} />
        <Readers text={also} known={schedule?.addresses ?? []} onChange={setAlso} />
        <Coming settings={settings} organizationId={organizationId} further={typedIn(also).length} />
        {hasChosenDays && (
          <p className={shapes.unit}>
            The days that you have chosen on the page are not used: each mail is about the days before it.
          </p>
        )}
        {error && (
          <p role="alert" className={classes.error}>
            {error}
          </p>
        )}
        {!schedule && (
          <p className={shapes.unit}>
            Edit or stop it later in <Link to={paths.reportSchedules()}>Reports by mail</Link>.
          </p>
        )}
      </Stack>
    </FormDialog>
  )
}

type SettingsProps = { settings: Settings; onChange: (patch: Partial<Settings>) => void }

function When({ settings, onChange }: SettingsProps) {
  const { rhythm, weekday, monthDay, hour } = settings
  const choose = (value: string) => {
    const chosen = rhythms.find((one) => one === value) ?? rhythm
    onChange({ rhythm: chosen, period: words.periodFor[chosen] })
  }
  return (
    <div className={`${shapes.row} ${classes.when}`}>
      <NativeChoice
        label="How often"
        data={namesOf(rhythms, words.rhythmNames)}
        value={rhythm}
        data-autofocus
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {rhythm === 'weekly' && (
        <NativeChoice
          label="On"
          data={weekdays}
          value={String(weekday)}
          onChange={({ currentTarget }) => onChange({ weekday: Number(currentTarget.value) })}
        />
      )}
      {rhythm === 'monthly' && (
        <NativeChoice
          label="On"
          data={monthDays}
          value={String(monthDay)}
          onChange={({ currentTarget }) => onChange({ monthDay: Number(currentTarget.value) })}
        />
      )}
      <NativeChoice
        label="At"
        data={hours}
        value={String(hour)}
        onChange={({ currentTarget }) => onChange({ hour: Number(currentTarget.value) })}
      />
    </div>
  )
}

type AttachedProps = { formats: readonly FileFormat[]; onChange: (formats: FileFormat[]) => void }

function Attached({ formats, onChange }: AttachedProps) {
  const toggle = (format: FileFormat, isOn: boolean) =>
    onChange(fileFormats.filter((one) => (one === format ? isOn : formats.includes(one))))
  return (
    <FieldGroup legend="Attach the table as">
      <div className={shapes.row}>
        {fileFormats.map((format) => (
          <Checkbox
            key={format}
            label={words.formatNames[format]}
            checked={formats.includes(format)}
            onChange={({ currentTarget }) => toggle(format, currentTarget.checked)}
          />
        ))}
      </div>
    </FieldGroup>
  )
}

type ComingProps = { settings: Settings; organizationId: string | null; further: number }

/** Says exactly what follows from the choices above. */
function Coming({ settings, organizationId, further }: ComingProps) {
  const { email } = useUser()
  const { rhythm, weekday, monthDay, hour, period } = settings
  const timing = { rhythm, weekday, monthDay, hour, period }
  const { page, isStale, error } = useList(planReportSchedule, {
    query: { ...timing, ...(organizationId === null ? {} : { organizationId }) },
  })
  return (
    <div className={classes.coming} role="status" aria-busy={isStale || (!page && !error)}>
      <p>
        {error
          ? explain(error).title
          : page
            ? words.comingText(page, page.timeZone)
            : 'Working out the time…'}
      </p>
      {page && <p>{words.clockText(page)}</p>}
      {further === 0 ? (
        <p>It goes to {email} alone, with what you may see at that moment.</p>
      ) : (
        <p>
          It goes to {email} and to {plural(further, 'further address', 'further addresses')}, with what you
          may see at that moment.
        </p>
      )}
    </div>
  )
}
