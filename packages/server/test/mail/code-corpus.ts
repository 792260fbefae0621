import type { CodeCase } from './codes.ts'

/** A mail as a service might send it, in the language of its users. */
export type CorpusCase = CodeCase & { language: string }

/** Mails with a code. Digits and words differ from mail to mail, so that no rule can be made for one of them. */
export const mailsWithCode: CorpusCase[] = [
  // English, behind the words
  { language: 'en', name: 'bank login', subject: 'Your security code', text: 'Dear customer,\n\nYour one-time security code is 730415. Enter it on the sign-in page within 5 minutes.\n\nDo not give this code to anyone, including our staff.\n\nNorthfield Bank', expected: '730415' },
  { language: 'en', name: 'forum sign-up', subject: 'Welcome to Birdwatchers', text: 'Hi robin,\n\nthanks for joining. To finish, type this verification code into the form:\n\n 58213\n\nSee you on the trail,\nThe Birdwatchers team', expected: '58213' },
  { language: 'en', name: 'password reset by code', subject: 'Reset your password', text: 'We got a request to reset your password. Use this code: 901 227\n\nThe code is valid for 30 minutes. If it was not you, you can ignore this email.', expected: '901227' },
  { language: 'en', name: 'new device', subject: 'New device signing in', text: 'Someone is signing in from Lisbon, Portugal (Chrome on macOS 14.5).\n\nIf this is you, confirm with code 4471-9038.', expected: '44719038' },
  { language: 'en', name: 'letters and digits', subject: 'Confirm your email', text: 'Your confirmation code: 7XK2QM\n\nIt is not case-sensitive.', expected: '7XK2QM' },
  { language: 'en', name: 'dashed letters', subject: 'Sign in to Paperplane', text: 'Copy this sign-in code:\n\nQ4F-9TB\n\nThis code can be used once and expires at 14:20 UTC.', expected: 'Q4F-9TB' },
  { language: 'en', name: 'kiosk pin', subject: 'Your parcel is ready', text: 'Your parcel waits in locker 12 at Central Station.\nPickup PIN: 6038\nOpen until Friday 18:00.', expected: '6038' },
  { language: 'en', name: 'two factor with footer', subject: 'Two-factor authentication', text: 'Authentication code: 118 604\n\nThis message was sent to ada@lovelace.example on 3 May 2026.\nRoundabout Ltd, 221B Baker Street, London NW1 6XE, company no. 04827113', expected: '118604' },
  { language: 'en', name: 'wire transfer', subject: 'Approve your transfer', text: 'You asked to send $2,500.00 to account ending 7719. To approve, enter passcode 60412 in the app.', expected: '60412' },
  { language: 'en', name: 'TV sign-in', subject: 'Activate your TV', text: 'Go to stream.example/tv and enter the activation code HJ7-K2P within 15 minutes.', expected: 'HJ7-K2P' },
  { language: 'en', name: 'backup among chatter', subject: 'Hey', text: 'hey! so the thing wants a code again, it is 83017 this time. talk later', expected: '83017' },
  { language: 'en', name: 'long introduction', subject: 'Verify it is you', text: 'Hello Sam,\n\nWe noticed a sign-in to your Harbour account from a browser we have not seen before. To keep your account safe we ask you to prove that it is you. Below is the code that we need from you.\n\n2284190\n\nYours,\nHarbour', expected: '2284190' },
  { language: 'en', name: 'code in a table of facts', subject: 'Login attempt', text: 'Time: 2026-05-03 09:41 UTC\nDevice: Pixel 9\nIP: 198.51.100.23\nCode: 705533\n', expected: '705533' },
  { language: 'en', name: 'app hash below', subject: 'Code', text: '<#> 551 083 is your Tugboat code\nkQ9x2LmZp3A', expected: '551083' },
  { language: 'en', name: 'access for a guest', subject: 'Guest Wi-Fi', text: 'Network: Harbour-Guest\nAccess code: 9L4R2T\nValid for 24 hours', expected: '9L4R2T' },
  { language: 'en', name: 'support pin', subject: 'Your support PIN', text: 'When you call 1-800-555-0199, our agent asks for your PIN. Your PIN is 27418.', expected: '27418' },

  // English, before the words
  { language: 'en', name: 'code first in the subject', subject: '640772 is your Lantern login code', text: 'Enter it on the page you came from.', expected: '640772' },
  { language: 'en', name: 'code first in the body', subject: 'Lantern', text: '3390 is your PIN. Never share it.', expected: '3390' },
  { language: 'en', name: 'code above its explanation', subject: 'Finish signing up', text: '  9 0 4 1 7 7\n\nThis is your verification code. It expires in an hour.', expected: '904177' },
  { language: 'en', name: 'brand prefix', subject: 'L-220918 is your Lantern verification code', text: '', expected: '220918' },
  { language: 'en', name: 'enter to confirm', subject: 'Change of address', text: 'Enter 71930 to confirm the change of your email address.', expected: '71930' },

  // HTML only
  { language: 'en', name: 'HTML, big number', subject: 'Your code', html: '<!doctype html><html><head><style>td{padding:12px}.c{font-size:32px;color:#333333}</style></head><body><table width="600"><tr><td>Hi Kim,</td></tr><tr><td>Here is your login code</td></tr><tr><td class="c"><strong>417 826</strong></td></tr><tr><td style="color:#999999">Sent to kim2019@example.com · © 2026 Lantern, 500 Oak Ave, Austin TX 78701</td></tr></table></body></html>', expected: '417826' },
  { language: 'en', name: 'HTML, spans for digits', subject: 'Verify your email', html: '<p>Use this code to verify your email:</p><div><span style="border:1px">8</span> <span>1</span> <span>3</span> <span>0</span> <span>5</span> <span>9</span></div>', expected: '813059' },
  { language: 'en', name: 'HTML, white on a button', subject: 'Sign in', html: '<p>Your one-time code:</p><p style="background:#0a5;color:#fff;padding:8px">77 21 04</p>', expected: '772104' },
  { language: 'en', name: 'HTML, preheader says it first', subject: 'Sign in to Lantern', html: '<div style="display:none">Your code awaits &zwnj;&nbsp;&zwnj;&nbsp;</div><h1>Confirm it is you</h1><p>Code</p><h2>604417</h2><a href="https://lantern.example/login/991827">Or follow this link</a>', expected: '604417' },
  { language: 'en', name: 'HTML, order and code', subject: 'Pick up your order', html: '<h1>Order #8831027 is ready</h1><p>Show this pickup code at the desk:</p><p><b>5519</b></p><p>Total paid: $84.20</p>', expected: '5519' },
  { language: 'de', name: 'HTML, German', subject: 'Ihr Anmeldecode', html: '<p>Guten Tag,</p><p>Ihr Anmeldecode:</p><h2 style="color:#112233">836&nbsp;401</h2><p>Der Code läuft in 10 Minuten ab.</p><p>Musterwerk GmbH · Hauptstr. 5 · 80331 München</p>', expected: '836401' },
  { language: 'ja', name: 'HTML, Japanese', subject: 'ご本人確認', html: '<p>以下の確認コードを画面に入力してください。</p><p style="font-size:28px">390 274</p><p>有効期限：30分</p>', expected: '390274' },

  // German
  { language: 'de', name: 'Einmalcode', subject: 'Anmeldung bei Musterwerk', text: 'Hallo Frau Kern,\n\nIhr Einmalcode lautet 70 44 19. Er gilt 5 Minuten.\n\nIhr Musterwerk-Team', expected: '704419' },
  { language: 'de', name: 'Zahl vor den Worten', subject: 'Musterwerk', text: '518840 ist dein Bestätigungscode für Musterwerk. Gib ihn niemandem weiter.', expected: '518840' },
  { language: 'de', name: 'PIN für das Schließfach', subject: 'Ihr Paket liegt bereit', text: 'Sendung 00340434161094042557\nStation 104, Fach 17\nAbhol-PIN: 9043', expected: '9043' },
  { language: 'de', name: 'Freigabe', subject: 'Freigabe Ihrer Zahlung', text: 'Zahlung an Stadtwerke, 84,90 EUR. Bitte geben Sie die Freigabe mit der TAN 227561 frei.', expected: '227561' },
  { language: 'de', name: 'Zugangscode mit Buchstaben', subject: 'Ihr Zugang', text: 'Ihr Zugangscode für die Umfrage: K7M3XP', expected: 'K7M3XP' },
  { language: 'de', name: 'Kennwort', subject: 'Einmalkennwort', text: 'Ihr Einmalkennwort:\n\n66172093\n\nRufen Sie uns unter 0800 330 1000 an, wenn Sie es nicht angefordert haben.', expected: '66172093' },

  // French
  { language: 'fr', name: 'code à saisir', subject: 'Connexion à votre espace', text: 'Bonjour,\n\nPour vous connecter, saisissez le code 350 118 dans la fenêtre ouverte.\n\nL’équipe Lanterne', expected: '350118' },
  { language: 'fr', name: 'devant les mots', subject: 'Lanterne', text: '80427 est votre code de confirmation. Ne le partagez pas.', expected: '80427' },
  { language: 'fr', name: 'mot de passe à usage unique', subject: 'Validation du paiement', text: 'Votre mot de passe à usage unique pour le paiement de 59,90 € chez LANTERNE est : 614022', expected: '614022' },
  { language: 'fr', name: 'code d’accès', subject: 'Votre code d’accès', text: 'Voici votre code d’accès :\n\n2R8-V5N\n\nValable 15 minutes. Lanterne SAS, 12 rue de la Paix, 75002 Paris', expected: '2R8-V5N' },

  // Spanish
  { language: 'es', name: 'código de acceso', subject: 'Tu código de acceso', text: 'Hola Lucía:\n\nTu código de acceso es 905 731. Caduca en 10 minutos.', expected: '905731' },
  { language: 'es', name: 'delante de las palabras', subject: 'Farol', text: '44780 es tu código de verificación de Farol.', expected: '44780' },
  { language: 'es', name: 'clave dinámica', subject: 'Clave dinámica', text: 'Estimado cliente, su clave dinámica es 83920175. Vigencia 60 segundos. Banco Farol nunca se la pedirá.', expected: '83920175' },
  { language: 'es', name: 'introduce', subject: 'Verifica tu correo', text: 'Introduce el siguiente código en la aplicación:\n\n1629\n\nFarol S.L., Calle Mayor 10, 28013 Madrid', expected: '1629' },

  // Portuguese
  { language: 'pt', name: 'código de confirmação', subject: 'Confirme seu e-mail', text: 'Olá, Rui!\n\nSeu código de confirmação: 720094\n\nSe você não pediu, ignore este e-mail.', expected: '720094' },
  { language: 'pt', name: 'antes das palavras', subject: 'Farol', text: 'Farol: 5583 é o seu código de acesso.', expected: '5583' },
  { language: 'pt', name: 'token do banco', subject: 'Token de segurança', text: 'O token para a transferência de R$ 1.200,00 é 441907. Válido por 3 minutos.', expected: '441907' },

  // Italian
  { language: 'it', name: 'codice di accesso', subject: 'Il tuo codice', text: 'Ciao Elena,\nil tuo codice di accesso è 06 71 55.\nScade tra 10 minuti.', expected: '067155' },
  { language: 'it', name: 'prima delle parole', subject: 'Lanterna', text: '88214 è il codice per confermare il tuo indirizzo.', expected: '88214' },
  { language: 'it', name: 'password monouso', subject: 'Conferma operazione', text: 'Per confermare il bonifico di 300,00 EUR usa la password monouso 519283.', expected: '519283' },

  // Dutch
  { language: 'nl', name: 'inlogcode', subject: 'Je inlogcode', text: 'Hoi Bram,\n\nJe inlogcode is 30 92 48.\n\nGroet,\nLantaarn', expected: '309248' },
  { language: 'nl', name: 'voor de woorden', subject: 'Lantaarn', text: '7714 is je pincode voor het ophalen van je pakket.', expected: '7714' },
  { language: 'nl', name: 'bevestigingscode', subject: 'Bevestig je e-mailadres', text: 'Vul deze bevestigingscode in op de website:\n\n481 663', expected: '481663' },

  // Polish
  { language: 'pl', name: 'kod do logowania', subject: 'Kod do logowania', text: 'Dzień dobry,\n\nTwój kod do logowania: 295 310\nKod jest ważny 10 minut.', expected: '295310' },
  { language: 'pl', name: 'przed słowami', subject: 'Latarnia', text: '60918 to Twój kod potwierdzający. Nie podawaj go nikomu.', expected: '60918' },
  { language: 'pl', name: 'hasło SMS', subject: 'Autoryzacja przelewu', text: 'Hasło jednorazowe do przelewu na kwotę 450,00 PLN: 73320146', expected: '73320146' },

  // Turkish
  { language: 'tr', name: 'doğrulama kodu', subject: 'E-posta doğrulama', text: 'Merhaba,\n\nDoğrulama kodunuz 618 402. Kod 5 dakika geçerlidir.', expected: '618402' },
  { language: 'tr', name: 'sözcüklerden önce', subject: 'Fener', text: '9927 Fener giriş kodunuzdur. Kimseyle paylaşmayın.', expected: '9927' },

  // Russian, Ukrainian
  { language: 'ru', name: 'код для входа', subject: 'Код для входа', text: 'Здравствуйте!\n\nВаш код для входа: 204 881\n\nНикому его не сообщайте.', expected: '204881' },
  { language: 'ru', name: 'перед словами', subject: 'Маяк', text: '7351 — ваш код подтверждения в «Маяке».', expected: '7351' },
  { language: 'ru', name: 'пароль для оплаты', subject: 'Подтверждение оплаты', text: 'Покупка на 1 499 руб. в MAYAK. Пароль для подтверждения: 550917', expected: '550917' },
  { language: 'uk', name: 'код підтвердження', subject: 'Підтвердження пошти', text: 'Вітаємо!\nВаш код підтвердження: 660245. Він дійсний 15 хвилин.', expected: '660245' },
  { language: 'uk', name: 'перед словами', subject: 'Маяк', text: '31877 — ваш код для входу. Нікому його не повідомляйте.', expected: '31877' },

  // Chinese, Japanese, Korean
  { language: 'zh', name: '注册验证码', subject: '注册验证', text: '您好！您的注册验证码是：507193，10分钟内有效。如非本人操作请忽略本邮件。', expected: '507193' },
  { language: 'zh', name: '验证码在前', subject: '灯塔', text: '【灯塔】2846（登录验证码），请勿告诉他人。', expected: '2846' },
  { language: 'zh', name: '校验码', subject: '支付确认', text: '您正在支付328.00元，校验码 660512，切勿泄露。客服电话 400-820-8820', expected: '660512' },
  { language: 'zh-TW', name: '驗證碼', subject: '信箱驗證', text: '親愛的會員您好：\n\n您的驗證碼為\n\n718 204\n\n請於15分鐘內完成驗證。', expected: '718204' },
  { language: 'ja', name: '認証コード', subject: '【灯台】認証コードのお知らせ', text: 'いつもご利用ありがとうございます。\n\n認証コード：083 517\n\n10分以内に入力してください。', expected: '083517' },
  { language: 'ja', name: 'ワンタイムパスワード', subject: 'ワンタイムパスワード', text: 'お客様のワンタイムパスワードは 44190283 です。', expected: '44190283' },
  { language: 'ja', name: 'コードが先', subject: '灯台', text: '6172 があなたのログインコードです。他の人に教えないでください。', expected: '6172' },
  { language: 'ko', name: '인증번호', subject: '[등대] 인증번호 안내', text: '안녕하세요.\n요청하신 인증번호는 925038 입니다.\n3분 이내에 입력해 주세요.', expected: '925038' },
  { language: 'ko', name: '번호가 먼저', subject: '등대', text: '[등대] 417702 확인 코드입니다. 타인에게 알려주지 마세요.', expected: '417702' },

  // Nordic
  { language: 'sv', name: 'engångskod', subject: 'Din inloggningskod', text: 'Hej Maja!\n\nDin engångskod är 592 017. Den gäller i 10 minuter.', expected: '592017' },
  { language: 'sv', name: 'före orden', subject: 'Fyren', text: '8841 är din verifieringskod.', expected: '8841' },
  { language: 'da', name: 'bekræftelseskode', subject: 'Bekræft din e-mail', text: 'Din bekræftelseskode er: 307 566', expected: '307566' },
  { language: 'da', name: 'engangskode alene', subject: 'Engangskode', text: 'Hej,\n\nBrug denne kode for at logge ind:\n\n71402\n\nFyret ApS, Havnegade 4, 1058 København', expected: '71402' },
  { language: 'no', name: 'engangskode', subject: 'Logg inn', text: 'Engangskoden din er 660 198. Ikke del den med andre.', expected: '660198' },
  { language: 'fi', name: 'vahvistuskoodi', subject: 'Vahvista sähköpostisi', text: 'Hei!\n\nVahvistuskoodisi on 482 605. Koodi on voimassa 15 minuuttia.', expected: '482605' },
  { language: 'fi', name: 'kertakäyttökoodi', subject: 'Kirjautuminen', text: 'Kertakäyttökoodi: 93017', expected: '93017' },

  // Middle and south-eastern Europe
  { language: 'cs', name: 'ověřovací kód', subject: 'Ověření e-mailu', text: 'Dobrý den,\n\nváš ověřovací kód je 174 920. Platí 10 minut.', expected: '174920' },
  { language: 'cs', name: 'před slovy', subject: 'Maják', text: '55081 je váš kód pro přihlášení.', expected: '55081' },
  { language: 'sk', name: 'overovací kód', subject: 'Overenie', text: 'Váš overovací kód: 830 417', expected: '830417' },
  { language: 'hu', name: 'megerősítő kód', subject: 'E-mail megerősítése', text: 'Kedves Anna!\n\nAz Ön megerősítő kódja: 209 764\n\nA kód 10 percig érvényes.', expected: '209764' },
  { language: 'ro', name: 'cod de verificare', subject: 'Codul tău', text: 'Bună, Ioana!\n\nCodul tău de verificare este 641 350.', expected: '641350' },
  { language: 'el', name: 'κωδικός επαλήθευσης', subject: 'Επαλήθευση email', text: 'Γεια σας,\n\nΟ κωδικός επαλήθευσης είναι 730 258. Ισχύει για 10 λεπτά.', expected: '730258' },
  { language: 'bg', name: 'код за потвърждение', subject: 'Потвърждение', text: 'Вашият код за потвърждение е 518 093.', expected: '518093' },
  { language: 'hr', name: 'kod za prijavu', subject: 'Prijava', text: 'Vaš kod za prijavu je 906 142. Vrijedi 5 minuta.', expected: '906142' },

  // Other scripts
  { language: 'ar', name: 'رمز التحقق', subject: 'رمز التحقق', text: 'مرحبا،\n\nرمز التحقق الخاص بك هو 284 917. صالح لمدة 10 دقائق.', expected: '284917' },
  { language: 'ar', name: 'أرقام عربية', subject: 'تسجيل الدخول', text: 'رمز الدخول: ٤٠٧١٩٣', expected: '407193' },
  { language: 'he', name: 'קוד אימות', subject: 'קוד אימות', text: 'שלום,\n\nקוד האימות שלך הוא 519 340. הקוד תקף ל-10 דקות.', expected: '519340' },
  { language: 'fa', name: 'کد تأیید', subject: 'کد تأیید', text: 'کد تأیید شما: ۷۳۰۴۱۸', expected: '730418' },
  { language: 'hi', name: 'सत्यापन कोड', subject: 'सत्यापन कोड', text: 'नमस्ते,\n\nआपका सत्यापन कोड 602 815 है। यह 10 मिनट तक मान्य है।', expected: '602815' },
  { language: 'th', name: 'รหัสยืนยัน', subject: 'รหัสยืนยัน', text: 'รหัสยืนยันของคุณคือ 918043 ใช้ได้ภายใน 5 นาที', expected: '918043' },
  { language: 'vi', name: 'mã xác minh', subject: 'Xác minh email', text: 'Xin chào,\n\nMã xác minh của bạn là 370 952. Mã có hiệu lực trong 10 phút.', expected: '370952' },
  { language: 'id', name: 'kode verifikasi', subject: 'Kode verifikasi', text: 'Halo Budi,\n\nKode verifikasi Anda adalah 845 021. Jangan bagikan kode ini.', expected: '845021' },
  { language: 'id', name: 'sebelum kata', subject: 'Mercu', text: '29174 adalah kode OTP Anda.', expected: '29174' },

  // Odd forms
  { language: 'en', name: 'in quotation marks and bold', subject: 'Code', text: 'Your code is "**640915**".', expected: '640915' },
  { language: 'en', name: 'thin spaces', subject: 'Lantern', text: 'Your verification code: 771\u2009308', expected: '771308' },
  { language: 'en', name: 'a code that ends a sentence with an exclamation', subject: 'Game night', text: 'Join the room with code 4408!', expected: '4408' },
  { language: 'en', name: 'two ways in one mail', subject: 'Sign in to Lantern', text: 'Click https://lantern.example/magic/88aa7711bb to sign in, or enter the code manually: 903-518', expected: '903518' },
  { language: 'en', name: 'reply above a quoted mail', subject: 'Re: code?', text: 'It is 337204, the code from this morning.\n\n> Hi, do you have the code?', expected: '337204' },
  { language: 'en', name: 'amount and code in a sentence', subject: 'Approve payment', text: 'Use 884120 to approve the payment of EUR 1999 at Lantern.', expected: '884120' },
  { language: 'en', name: 'dashes around it', subject: 'Your passcode', text: '--------\n 550 472\n--------\nThis passcode is valid for 10 minutes.', expected: '550472' },
  { language: 'de', name: 'Code und Kundennummer', subject: 'Ihr Sicherheitscode', text: 'Kundennummer: 40028817\nSicherheitscode: 630194', expected: '630194' },
  { language: 'fr', name: 'code et numéro de commande', subject: 'Retrait de votre commande', text: 'Commande n° 20941877\nCode de retrait : 4902', expected: '4902' },
  { language: 'es', name: 'código y pedido', subject: 'Recoge tu pedido', text: 'Pedido 771920. Muestra el código de recogida 3518 en la tienda.', expected: '3518' },

  // Codes without digits, without capitals, with more dashes
  { language: 'en', name: 'letters only', subject: 'Join the class', text: 'Open the app and enter the class code: QWRTZP', expected: 'QWRTZP' },
  { language: 'en', name: 'letters only, alone', subject: 'Your sign-in code', text: 'Hi Jo,\n\nhere is your sign-in code:\n\nXKDM-TRWQ\n\nIt works for 10 minutes.', expected: 'XKDM-TRWQ' },
  { language: 'en', name: 'small letters', subject: 'Confirm your email', text: 'Your confirmation code is k7m3xp. Paste it into the form.', expected: 'k7m3xp' },
  { language: 'en', name: 'small letters with a dash', subject: 'Recovery', text: 'Your recovery code:\n\n4f7a-9c2e\n\nKeep it in a safe place.', expected: '4f7a-9c2e' },
  { language: 'en', name: 'pairs with dashes', subject: 'Lantern', text: 'Your login code is 48-29-13.', expected: '482913' },
  { language: 'en', name: 'letter by letter', subject: 'Your code', text: 'Your code:\n\nK 7 M 3 X P\n', expected: 'K7M3XP' },
  { language: 'en', name: 'a line for each digit', subject: 'Verify', html: '<p>Enter this verification code:</p><div>5</div><div>0</div><div>8</div><div>1</div><div>7</div><div>3</div><p>Bye</p>', expected: '508173' },
  { language: 'en', name: 'in the next sentence', subject: 'Hello', text: 'You asked for a login code. Here it is: 904 226', expected: '904226' },
  { language: 'en', name: 'it is', subject: 'Hello', text: "We have made a new access code for you. It's 71835.", expected: '71835' },
  { language: 'en', name: 'with a remark behind', subject: 'Your Lantern code', text: '660193 (valid for ten minutes)', expected: '660193' },
  { language: 'en', name: 'subject asks, body answers in a sentence', subject: 'Login code', text: 'Good morning Ada, please go on with 550281, as agreed.', expected: '550281' },
  { language: 'en', name: 'forwarded', subject: 'Fwd: Sign in', text: '---------- Forwarded message ---------\nFrom: Lantern <no-reply@lantern.example>\nDate: Sun, May 3, 2026 at 9:41 AM\nSubject: 730 994 is your Lantern code\nTo: <ada@example.com>\n\nEnter it in the app.', expected: '730994' },
  { language: 'en', name: 'door', subject: 'Your stay', text: 'Check-in is from 1500. The door code is 4482#. Wi-Fi: Lantern-Guest.', expected: '4482' },

  // More languages
  { language: 'sv', name: 'engångslösenord', subject: 'Logga in', text: 'Ditt engångslösenord: 81 40 27', expected: '814027' },
  { language: 'no', name: 'bekreftelseskode', subject: 'Bekreft e-posten din', text: '5519 er bekreftelseskoden din.', expected: '5519' },
  { language: 'is', name: 'staðfestingarkóði', subject: 'Staðfesting', text: 'Staðfestingarkóðinn þinn er 604 812.', expected: '604812' },
  { language: 'et', name: 'kinnituskood', subject: 'Kinnitus', text: 'Teie kinnituskood on 271 905.', expected: '271905' },
  { language: 'lv', name: 'apstiprinājuma kods', subject: 'Apstiprinājums', text: 'Jūsu apstiprinājuma kods: 833 160', expected: '833160' },
  { language: 'lt', name: 'patvirtinimo kodas', subject: 'Patvirtinimas', text: 'Jūsų patvirtinimo kodas yra 490 172.', expected: '490172' },
  { language: 'sl', name: 'potrditvena koda', subject: 'Potrditev', text: 'Vaša potrditvena koda je 615 038.', expected: '615038' },
  { language: 'ca', name: 'codi de verificació', subject: 'Verificació', text: 'El teu codi de verificació és 307 481.', expected: '307481' },
  { language: 'hu', name: 'egyszer használatos jelszó', subject: 'Belépés', text: 'Az egyszer használatos jelszava: 9042 1175', expected: '90421175' },
  { language: 'cs', name: 'jednorázové heslo', subject: 'Přihlášení', text: 'Vaše jednorázové heslo je 60 18 24.', expected: '601824' },
  { language: 'ar', name: 'كلمة مرور لمرة واحدة', subject: 'تأكيد', text: 'كلمة المرور لمرة واحدة: 730 114', expected: '730114' },
  { language: 'he', name: 'סיסמה חד פעמית', subject: 'כניסה', text: 'הסיסמה החד פעמית שלך: 551 908', expected: '551908' },
  { language: 'ka', name: 'კოდი', subject: 'დადასტურება', text: 'თქვენი დადასტურების კოდია: 402 718', expected: '402718' },
  { language: 'bn', name: 'যাচাইকরণ কোড', subject: 'যাচাইকরণ', text: 'আপনার যাচাইকরণ কোড: 918 205', expected: '918205' },
  { language: 'ms', name: 'kod pengesahan', subject: 'Pengesahan', text: 'Kod pengesahan anda ialah 604 319.', expected: '604319' },
  { language: 'zh', name: '取件码', subject: '包裹到了', text: '您的包裹已到菜鸟驿站，取件码：806219，请于22点前领取。', expected: '806219' },
  { language: 'zh', name: '授权码', subject: '授权', text: '您的邮箱授权码：kqzv88pm，请妥善保管。', expected: 'kqzv88pm' },
  { language: 'ko', name: '보안 코드', subject: '로그인', text: '보안 코드: 77 40 18\n10분 후 만료됩니다.', expected: '774018' },

  // Written last: 5 of these 36 were missed before the rules were changed
  { language: 'en', name: 'device pairing', subject: 'Pair your speaker', text: 'Say or type 5 0 2 9 when the speaker asks for the pairing code.', expected: '5029' },
  { language: 'en', name: 'the word far behind', subject: 'Harbour', text: '771 046\n\nSomebody, hopefully you, is trying to log in to Harbour with this email address.\nThe number above is your one-time code. It stops working in ten minutes.', expected: '771046' },
  { language: 'en', name: 'security number', subject: 'Security check', text: 'To continue, please quote security code 40-17-93 to the operator.', expected: '401793' },
  { language: 'en', name: 'upper-case headline', subject: 'LOGIN', text: 'YOUR LOGIN CODE IS 660217. DO NOT SHARE IT.', expected: '660217' },
  { language: 'en', name: 'ticket office', subject: 'Collect your tickets', text: 'Insert any card into the machine and enter your collection code: CTR4K8NX. Booking made on 3 May.', expected: 'CTR4K8NX' },
  { language: 'en', name: 'equal sign', subject: 'otp', text: 'otp=209917', expected: '209917' },
  { language: 'en', name: 'dash after the word', subject: 'Verification', text: 'Verification code - 118820', expected: '118820' },
  { language: 'en', name: 'arrow', subject: 'Your code', text: 'Your code → 918 227', expected: '918227' },
  { language: 'en', name: 'friendly', subject: 'Almost there!', text: 'One last step! Pop 30177 into the box to confirm your email and you are in.', expected: '30177' },
  { language: 'en', name: 'numbers around it', subject: 'Transfer', text: 'You are sending 12,500.00 USD from 0048 **** **** 9921 to ACME Ltd (ref 55120).\n\nPasscode: 887104\n\nValid until 16:45.', expected: '887104' },
  { language: 'en', name: 'HTML, code in a link', subject: 'Your code', html: '<p>Tap to copy your verification code</p><p><a href="https://lantern.example/copy">604 118</a></p>', expected: '604118' },
  { language: 'en', name: 'HTML, code in a field', subject: 'Sign in', html: '<table><tr><td>Sign-in code</td><td align="right"><code>P4T-7QW</code></td></tr><tr><td>Valid until</td><td align="right">14:30</td></tr></table>', expected: 'P4T-7QW' },
  { language: 'en', name: 'HTML, words below in small print', subject: 'Hello from Lantern', html: '<h1>83 10 47</h1><p style="font-size:11px">Enter this code where you were asked for it. If you were not, ignore this mail.</p>', expected: '831047' },
  { language: 'en', name: 'HTML, letters in cells', subject: 'Verification code', html: '<p>Your verification code:</p><table><tr><td>R</td><td>4</td><td>T</td><td>9</td><td>K</td><td>2</td></tr></table>', expected: 'R4T9K2' },
  { language: 'de', name: 'Du-Form', subject: 'Dein Login', text: 'Hey Kim, gib einfach 4410 ein, um dich anzumelden. Der Code gilt 10 Minuten.', expected: '4410' },
  { language: 'de', name: 'Prüfziffern', subject: 'Bestätigung Ihrer E-Mail-Adresse', text: 'Bitte tragen Sie folgende Ziffern ein, um Ihre E-Mail-Adresse zu bestätigen:\n\n620 117', expected: '620117' },
  { language: 'de', name: 'Türcode', subject: 'Ihr Aufenthalt', text: 'Zimmer 204, Anreise ab 1500 Uhr. Ihr Türcode: 7719#', expected: '7719' },
  { language: 'fr', name: 'tutoiement', subject: 'Ton code', text: 'Salut ! Ton code pour te connecter : 66-20-91. À tout de suite !', expected: '662091' },
  { language: 'fr', name: 'chiffres seuls', subject: 'Vérification de votre adresse', text: 'Merci de recopier ces chiffres sur la page de vérification :\n\n307 512', expected: '307512' },
  { language: 'es', name: 'tuteo', subject: 'Inicia sesión', text: 'Usa 558 203 para iniciar sesión. Este código solo sirve una vez.', expected: '558203' },
  { language: 'pt', name: 'palavra-passe', subject: 'Início de sessão', text: 'A sua palavra-passe de utilização única é 449017.', expected: '449017' },
  { language: 'it', name: 'inserisci', subject: 'Verifica la tua email', text: 'Inserisci 70 93 16 per verificare la tua email. Il codice scade alle 15:30.', expected: '709316' },
  { language: 'nl', name: 'beveiligingscode', subject: 'Beveiliging', text: 'Je beveiligingscode:\n\nB7K-2MX\n\nHeb je hier niet om gevraagd? Doe dan niets.', expected: 'B7K-2MX' },
  { language: 'pl', name: 'wpisz', subject: 'Potwierdź adres', text: 'Wpisz 55 81 02, aby potwierdzić adres e-mail.', expected: '558102' },
  { language: 'tr', name: 'şifre', subject: 'Tek kullanımlık şifre', text: 'Sayın müşterimiz, 250,00 TL tutarındaki işlem için şifreniz: 118402', expected: '118402' },
  { language: 'ru', name: 'введите', subject: 'Вход в аккаунт', text: 'Введите 60 41 77, чтобы войти. Код действует 5 минут.', expected: '604177' },
  { language: 'uk', name: 'одноразовий пароль', subject: 'Оплата', text: 'Одноразовий пароль для оплати 1 250 грн: 770194', expected: '770194' },
  { language: 'zh', name: '动态口令', subject: '安全验证', text: '尊敬的客户：您的动态口令为 90 11 62，请于3分钟内输入。', expected: '901162' },
  { language: 'ja', name: '確認番号', subject: '確認番号のお知らせ', text: '確認番号\n\n550172\n\nこの番号は15分間有効です。', expected: '550172' },
  { language: 'ko', name: '본인 확인', subject: '본인 확인', text: '본인 확인을 위해 아래 숫자를 입력하세요.\n\n660 284\n\n인증번호는 5분간 유효합니다.', expected: '660284' },
  { language: 'ar', name: 'كود التفعيل', subject: 'كود التفعيل', text: 'كود التفعيل: 7719', expected: '7719' },
  { language: 'vi', name: 'OTP', subject: 'Mã OTP', text: 'Ma OTP cua quy khach la 402 918. Khong chia se ma nay.', expected: '402918' },
  { language: 'th', name: 'OTP', subject: 'OTP', text: 'OTP=771904 สำหรับทำรายการ 1,500.00 บาท (Ref: KXTZ)', expected: '771904' },
  { language: 'ro', name: 'parolă unică', subject: 'Autentificare', text: 'Parola ta de unică folosință este 204 771.', expected: '204771' },
  { language: 'el', name: 'κωδικός πρώτα', subject: 'Σύνδεση', text: '71904 είναι ο κωδικός σας για τη σύνδεση.', expected: '71904' },
  { language: 'fi', name: 'kirjaudu', subject: 'Kirjaudu sisään', text: 'Kirjaudu sisään koodilla 604 219.', expected: '604219' },
]
