import { Checkbox, TextInput } from '@mantine/core'
import { language } from '#contract/platform/language.ts'
import type { SendWindow } from '#contract/transmissions/send-window.ts'
import shapes from '#web/ui/shapes.module.css'
import { labels, type OrganizationForm } from './values.ts'

const usual: SendWindow = { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }
/** 1 January 2024 was a Monday. */
const dayName = (day: number) =>
  new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day))

/** When mails may leave. */
export function WindowFields({ form }: { form: OrganizationForm['form'] }) {
  const hours = form.values.policies.sendWindow
  const set = (patch: Partial<SendWindow> | null) =>
    form.setFieldValue('policies.sendWindow', patch && { ...usual, ...hours, ...patch })
  const errorOf = (field: string) => form.errors[`policies.sendWindow.${field}`]
  return (
    <fieldset className={shapes.stack} id="field-policies-sendWindow" tabIndex={-1}>
      <legend>{labels['policies.sendWindow']}</legend>
      <Checkbox
        label="Only on these days, within these hours"
        description="On the clock of the organization. Outside of them messages and reminders wait; each can be let go all the same."
        checked={hours !== null}
        onChange={(event) => set(event.currentTarget.checked ? usual : null)}
      />
      {hours && (
        <>
          <Checkbox.Group
            label="Days"
            error={errorOf('days')}
            value={hours.days.map(String)}
            onChange={(days) => set({ days: days.map(Number).toSorted((one, other) => one - other) })}
          >
            <div className={shapes.row}>
              {[1, 2, 3, 4, 5, 6, 7].map((day) => (
                <Checkbox key={day} value={String(day)} label={dayName(day)} />
              ))}
            </div>
          </Checkbox.Group>
          <div className={shapes.row}>
            <TextInput
              type="time"
              label="From"
              error={errorOf('from')}
              value={hours.from}
              onChange={(event) => set({ from: event.currentTarget.value })}
            />
            <TextInput
              type="time"
              label="To"
              error={errorOf('to')}
              value={hours.to}
              onChange={(event) => set({ to: event.currentTarget.value })}
            />
          </div>
        </>
      )}
    </fieldset>
  )
}
