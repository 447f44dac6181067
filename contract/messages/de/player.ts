import type { player as english } from '../en/player.ts'
import type { Translation } from '../../platform/text/say.ts'

export const player: Translation<typeof english> = {
  player: 'Wiedergabe',
  position: 'Stelle',
  at: '{time} von {length}',
  atMissing: '{time} von {length}, es fehlen {parts}',
  part: '{from} bis {to}',
  play: 'Abspielen',
  pause: 'Anhalten',
  back: '10 Sekunden zurück',
  on: '10 Sekunden vor',
  speed: 'Tempo',
  quality: 'Qualität',
  auto: 'Auto',
  chapters: 'Kapitel',
  mute: 'Ton aus',
  unmute: 'Ton an',
  volume: 'Lautstärke',
  fullScreen: 'Vollbild',
  leaveFullScreen: 'Vollbild verlassen',
}
