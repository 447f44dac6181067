import '@mantine/core/styles/Checkbox.layer.css'
import { Checkbox, Radio, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { readOrganization } from '#contract/directory/organizations.ts'
import { zoneText } from '#contract/platform/text/time-zones.ts'
import type { ZoneAhead } from '#contract/transmissions/waves.ts'
import { fieldId } from '#web/api/forms/form.ts'
import { queryOf } from '#web/api/query.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { labels, type Draft } from './draft.ts'
import { Zones } from '../Zones.tsx'

type Props = {
  draft: Draft
  /** These say how many people get it at which time, when it leaves at an hour of their own. */
  zones: readonly ZoneAhead[]
  error: string | undefined
  onChange: (patch: Partial<Draft>) => void
}

const usualTime = '09:00'

/** Asks when its mails leave: as soon as it is sent, or at an hour where the organization is. */
export function LeavingField({ draft, zones, error, onChange }: Props) {
  const { organizationId: orgId, leaving, outsideHours } = draft
  const { data } = useQuery({
    ...queryOf(readOrganization, { params: { orgId } }),
    enabled: orgId !== '',
  })
  return (
    <fieldset className={shapes.stack} id={fieldId('leavesAt')} tabIndex={-1}>
      <legend>{labels['leavesAt']}</legend>
      <Radio
        name="leaving"
        label="As soon as I send it"
        checked={leaving === null}
        onChange={() => onChange({ leaving: null })}
      />
      <Radio
        name="leaving"
        label="Later"
        checked={leaving !== null}
        onChange={() => onChange({ leaving: { day: '', time: usualTime, inOwnZones: false } })}
      />
      {leaving && (
        <div className={shapes.row}>
          <TextInput
            type="date"
            label="Day"
            error={error}
            value={leaving.day}
            onChange={(event) => onChange({ leaving: { ...leaving, day: event.currentTarget.value } })}
          />
          <TextInput
            type="time"
            label="Time"
            value={leaving.time}
            onChange={(event) => onChange({ leaving: { ...leaving, time: event.currentTarget.value } })}
          />
        </div>
      )}
      {leaving && (
        <Checkbox
          label="At this hour in each person’s own time zone"
          description="Whoever has none in their form is where the organization is. Where the hour has passed by then, they get it at once."
          checked={leaving.inOwnZones}
          onChange={(event) => {
            const inOwnZones = event.currentTarget.checked
            onChange({ leaving: { ...leaving, inOwnZones }, ...(inOwnZones ? { waves: null } : {}) })
          }}
        />
      )}
      {leaving?.inOwnZones && zones.length > 0 && <Zones zones={zones} />}
      {leaving && !leaving.inOwnZones && data && (
        <p className={shapes.hint}>The clock is that of {zoneText(data.timeZone)}.</p>
      )}
      {(data?.policies.sendWindow || outsideHours) && (
        <Checkbox
          label="Send outside the hours too"
          description="For what is urgent: its mails do not wait for the hours of the organization. Your name is kept with it."
          checked={outsideHours}
          onChange={(event) => onChange({ outsideHours: event.currentTarget.checked })}
        />
      )}
    </fieldset>
  )
}
