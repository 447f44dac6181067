import type { late as english } from '../en/late.ts'
import type { Translation } from '../../platform/text/say.ts'

export const late: Translation<typeof english> = {
  subject: '{count, plural, one {# Person ist} other {# Personen sind}} bei {organization} in Verzug',
  lead: '{count, plural, one {Diese Person hat noch nicht erledigt, was ihr aufgetragen wurde} other {Diese Personen haben noch nicht erledigt, was ihnen aufgetragen wurde}}, und auf die Mails dazu nicht reagiert.',
  line: '{assignment}, fällig am {day}.',
  lineAsked: '{assignment}, angefordert am {day}.',
  confirmation: 'Angesehen, aber noch nicht bestätigt.',
  evidence: 'Angesehen, aber der Nachweis trägt nicht.',
  missing: '{share} des Videos fehlen.',
  questions: 'Angesehen, aber die Fragen sind noch nicht beantwortet.',
  passing: 'Angesehen, aber die Fragen wurden nicht bestanden.',
  more: 'Und {count, plural, one {# weitere Person} other {# weitere Personen}}.',
  open: 'Sehen, wer in Verzug ist',
  end: 'Eine solche Mail kommt höchstens einmal am Tag und nur, solange jemand in Verzug ist.',
}
