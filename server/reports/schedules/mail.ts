import type { FileFormat } from '#contract/platform/file-formats.ts'
import { formatDuration, formatNumber, formatShare } from '#contract/platform/text/format.ts'
import { reportHeads, type ReportName } from '#contract/reports/report-heads.ts'
import { reportSubjects } from '#contract/reports/report-scope.ts'
import { spanText } from '#contract/reports/report-labels.ts'
import { zoneText } from '#contract/platform/text/time-zones.ts'
import type { Env } from '../../platform/env.ts'
import type { MailBrand, Text } from '../../documents/mail/page.ts'
import { button, figures, heading, small, words, type Part } from '../../documents/mail/parts.ts'
import { mailOf } from '../../identity/mails.ts'
import type { PaperFigure } from '../../documents/paper.ts'
import type { Span } from '../span.ts'
import type { Content, ReportChoice } from './content.ts'
import type { Timing } from './rhythm.ts'

type About = {
  name: string
  publicUrl: string
  schedule: Omit<ReportChoice, 'organizationId'> & Timing
  content: Content
  /** How many before it never came, because the server did not run. */
  missed: number
  /** Its owner asked for this one out of turn. */
  isExtra: boolean
  /** Who gets it beside its owner, with the owner's rights; left out: the owner. */
  reader?: Reader
}

type Reader = { ownerEmail: string; url: string }

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const formatLabels: Record<FileFormat, string> = { csv: 'CSV file', xlsx: 'Excel file', pdf: 'PDF' }
const list = new Intl.ListFormat('en-US')

/** "every Monday at 07:00, time of Acme (Europe/Berlin)"; UTC for all organizations together. */
function rhythmText({ rhythm, weekday, monthDay, hour, timeZone }: Timing, of: string | undefined): string {
  const whose = of === undefined ? '' : `, time of ${of}`
  const at = `at ${String(hour).padStart(2, '0')}:00${whose} (${timeZone})`
  if (rhythm === 'daily') return `every day ${at}`
  if (rhythm === 'weekly') return `every ${weekdays[weekday - 1]} ${at}`
  return `on day ${monthDay} of every month ${at}`
}

const formats = { count: formatNumber, share: formatShare, time: formatDuration }

function valueText({ figure, as }: PaperFigure): string {
  if (figure.value !== null) return formats[as](figure.value)
  return as === 'time' ? 'Not shown' : '–'
}

/** "Up 20% from 10", as on the page of the report. */
function changeText({ figure, as, change }: PaperFigure): string {
  if (!change) return ''
  const moved = change.direction === 'up' || change.direction === 'down'
  if (!moved || !figure.before) return change.text
  return `${change.direction === 'up' ? 'Up' : 'Down'} ${change.text} from ${formats[as](figure.before)}`
}

/** A value of an address as the console reads it: what would pass for a number or a truth stands in quotes. */
function inAddress(value: string): string {
  try {
    JSON.parse(value)
    return JSON.stringify(value)
  } catch {
    return value
  }
}

/** The page of the report with the same filters and exactly these days. */
export function addressOf(
  publicUrl: string,
  { report, view }: Pick<ReportChoice, 'report' | 'view'>,
  span: Span,
): string {
  const { organizationId, groupId, projectId, videoId, transmissionId, ...others } = view
  const fields = {
    ...span,
    organization: organizationId,
    group: groupId,
    project: projectId,
    video: videoId,
    transmission: transmissionId,
    ...others,
  }
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value) search.set(name, inAddress(value))
  return `${publicUrl}/reports/${report}?${search.toString()}`
}

/** What stands above the figures. */
function leadOf({ name, schedule, content, reader }: About): string[] {
  const { organization, subjects, spans } = content.scope
  const chosen = reportSubjects.flatMap((kind) =>
    subjects[kind] ? [`${kind} “${subjects[kind].name}”`] : [],
  )
  const { title } = reportHeads[schedule.report]
  return [
    reader ? 'Hello,' : `Hello ${name},`,
    `${title} of ${organization?.name ?? 'all organizations'}: ${spanText(spans.span)}, in days of ${zoneText(schedule.timeZone)}.`,
    ...(chosen.length > 0 ? [`Only ${list.format(chosen)}.`] : []),
  ]
}

/** What stands below them. */
function notesOf({ schedule, content, missed }: About): string[] {
  const { attachments, leftOut } = content
  const { q, action } = schedule.view
  const searched = q || action ? ', as far as its rows match what you searched for' : ''
  const files = schedule.formats.filter((format) => !leftOut.includes(format)).map((one) => formatLabels[one])
  const { notes, quality } = content.face
  return [
    ...(quality ? [`${quality.line}.`] : []),
    ...(schedule.timeZone === 'UTC'
      ? []
      : ['The page of the report counts days of UTC, so its figures can differ a little.']),
    ...notes,
    ...(attachments.length > 0 ? [`Attached: the table as ${list.format(files)}${searched}.`] : []),
    ...(leftOut.length > 0
      ? [
          `Too large to be attached: the ${list.format(leftOut.map((one) => formatLabels[one]))}. Save it from the page of the report.`,
        ]
      : []),
    ...(missed > 0
      ? [
          `${missed === 1 ? 'One mail' : `${missed} mails`} before this one could not be sent and will not be sent later.`,
        ]
      : []),
  ]
}

export function reportMail(env: Env, about: About, brand: MailBrand): Text {
  const { publicUrl, schedule, content, reader } = about
  const { span, before } = content.scope.spans
  const subject = `${reportHeads[schedule.report].title}, ${spanText(span)} – ${content.scope.organization?.name ?? env.productName}`
  const rows = content.face.figures.map((figure) => ({
    label: figure.label,
    hint: figure.hint ?? '',
    value: valueText(figure),
    change: changeText(figure),
  }))
  return mailOf(env, {
    // As its figures are called on the page of the report.
    language: 'en',
    subject,
    brand,
    parts: [
      heading(reportHeads[schedule.report].title),
      ...leadOf(about).map(words),
      figures({ heads: ['Figure', 'Value', `Against ${spanText(before)}`], rows }),
      ...notesOf(about).map(words),
      // Whoever reads along may not have an account.
      ...(reader ? [] : [button({ label: 'Open the report', url: addressOf(publicUrl, schedule, span) })]),
      endOf(about),
    ],
  })
}

/** Why it comes, with whose rights, and how it ends. */
function endOf({ name, publicUrl, schedule, content, isExtra, reader }: About): Part {
  const rhythm = rhythmText(schedule, content.scope.organization?.name)
  if (reader)
    return small(
      `${name} (${reader.ownerEmail}) has this mail sent to you ${rhythm}. It shows what ${name} may see.`,
      { label: 'Stop these mails', url: reader.url },
    )
  const end = isExtra
    ? 'You asked for this mail just now. The next one comes when it is due.'
    : `This mail comes ${rhythm}, because you asked for it.`
  return small(end, { label: 'Edit or stop these mails', url: `${publicUrl}/reports/schedules` })
}

export type Ask = {
  by: { name: string; email: string }
  schedule: Timing & { report: ReportName; organizationName: string | null }
  url: string
}

/** Asks whoever reads at an address; names that people chose stand in no subject. */
export function askMail(env: Env, { by, schedule, url }: Ask, brand: MailBrand): Text {
  const { title } = reportHeads[schedule.report]
  const { organizationName } = schedule
  const rhythm = rhythmText(schedule, organizationName ?? undefined)
  return mailOf(env, {
    language: 'en',
    subject: `${title} by mail: do you want it? – ${env.productName}`,
    brand,
    parts: [
      heading(`${title} by mail`),
      words('Hello,'),
      words(
        `${by.name} (${by.email}) would like to send you the report ${title} of ${organizationName ?? 'all organizations'}, ${rhythm}. It shows what ${by.name} may see.`,
      ),
      button({ label: 'Receive it or refuse', url }),
      small('Nothing is sent unless you agree, and you can end it at any time.'),
    ],
  })
}
