import type { card as english } from '../en/card.ts'
import type { Translation } from '../../platform/text/say.ts'

export const card: Translation<typeof english> = {
  documentTitle: 'Karten: {title}',
  forPerson: 'für {person}',
  hello: 'Guten Tag {person},',
  watch: 'bitte sehen Sie „{title}“ an.',
  watchBy: 'bitte sehen Sie „{title}“ bis {day} an.',
  scan: 'Scannen Sie diesen Code mit der Kamera eines Telefons. Ein Konto ist nicht nötig.',
  scanAndSignIn:
    'Scannen Sie diesen Code mit der Kamera eines Telefons. Bevor das Video läuft, melden Sie sich an.',
  code: 'Code, der das Video öffnet',
  pin: 'Ihre PIN',
  pinText:
    'Die PIN öffnet dort „Ihre Schulungen“: was Sie ansehen sollen, was erledigt ist, und Ihre Zertifikate.',
  keep: 'Die Karte gehört Ihnen allein: Geben Sie sie nicht weiter, und fotografieren Sie sie nicht. Wenn sie verloren geht, bitten Sie um eine neue.',
  number: 'Karte {number}, {organization}',
}
