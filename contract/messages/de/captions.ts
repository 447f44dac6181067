import type { captions as english } from '../en/captions.ts'
import type { Translation } from '../../platform/text/say.ts'

export const captions: Translation<typeof english> = {
  captions: 'Untertitel',
  off: 'Aus',
  shown: 'Untertitel: {language}',
  hidden: 'Untertitel aus',
  descriptions: 'Bildbeschreibung, vorgelesen',
  noDescription: 'Keine Beschreibung',
  settings: 'Wie Untertitel aussehen',
  size: 'Größe',
  small: 'Klein',
  usual: 'Üblich',
  large: 'Groß',
  largest: 'Sehr groß',
  colors: 'Farben',
  lightOnDark: 'Weiß auf Dunkel',
  darkOnLight: 'Schwarz auf Weiß',
  yellowOnBlack: 'Gelb auf Schwarz',
  outlined: 'Weiß ohne Grund',
  place: 'Ort',
  asGiven: 'Wie im Video',
  below: 'Unten',
  above: 'Oben',
}
