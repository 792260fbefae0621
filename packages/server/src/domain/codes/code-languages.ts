/** The words of one language that describe a number next to them, in lower case. `_` is the space in a pair. */
export type Language = {
  /** Name a one-time code. */
  code?: string
  /** Name a one-time code if only a number follows, because other mail mentions passwords too. */
  password?: string
  /** Prefixes of words about authentication. */
  proof?: string
  /** Next to a word of `other` they name a number that is not a code. */
  number?: string
  /** Things with their own numbers: orders, invoices, customers. */
  other?: string
  /** Before a code word they make it another kind of code: "zip code", also as the first part of a compound. */
  otherCodeBefore?: string
  /** After a code word they make it another kind of code: "code postal". */
  otherCodeBehind?: string
  /** Verbs that ask to enter a code: "use 123456". */
  use?: string
  /** Words in between: "code of conduct", "código da sua reserva". */
  between?: string
}

export const LANGUAGES: Record<string, Language> = {
  en: {
    use: 'use enter type insert provide input paste submit copy',
    code: 'code codes passcode passcodes otp otps totp pin tan mtan token tokens 2fa mfa one_time single_use two_factor two_step verification_key',
    password: 'password passphrase',
    proof: 'verif authenti authori[sz] approv confirm signin acces',
    number: 'number numbers no nr n id',
    other: `order purchase invoice receipt ticket case issue bug defect tracking shipment parcel reference ref booking
      reservation customer client account member membership policy contract serial model build version release commit job article
      sku vat iban request transaction flight line section suite box room apartment floor device street avenue road blvd
      amount total subtotal price balance paid payment phone tel fax call hotline whatsapp ending copyright since until expires © lines row rows extension ext`,
    otherCodeBefore: `zip post postal area country dial dialing dialling promo promotional promotion discount coupon voucher gift card referral
      bar qr source error status exit product item order booking reservation tracking tax dress swift sort bank stock store
      course color colour result civil penal criminal purchase licence license customer client airline airport branch response
      reason ifsc html css xml json java javascript python php sql merchant terminal batch cost project department site vendor supplier payer return fault diagnostic tariff iata lot hs sic icd cpt upc building signature unit model part catalog catalogue`,
    otherCodeBehind: 'promo conduct review reviews freeze coverage execution conference snippet sample base',
    between: 'of',
  },
  de: {
    use: 'verwenden nutzen geben gib nutze verwende tippen tippe tragen trage',
    code: 'einmalpasswort einmalkennwort einmalcode smscode mobiltan sicherheitsschlüssel zugangsschlüssel',
    password: 'passwort kennwort',
    proof: 'bestätig anmeld anzumeld freigabe freischalt verifizier einlogg meldet',
    number: 'nummer',
    other: `betrag preis summe gesamt bestellung rechnung auftrag zeile raum straße str plz kundennummer vorgang buchung reservierung
      sendung paket vertrag konto konferenz aktenzeichen kunde`,
    otherCodeBefore: `gutschein rabatt aktions fehler kunden quell strich buchungs reservierungs bestell länder kleider farb artikel
      vorgangs geschenk empfehlungs promo`,
    between: 'der ihrer deiner',
  },
  fr: {
    use: 'utilisez saisissez entrez tapez saisis utilise renseignez recopiez',
    code: 'usage_unique utilisation_unique',
    password: 'passe clé clef',
    proof: 'vérifi connexion',
    number: 'numéro',
    other: 'montant commande facture ligne salle rue réservation dossier client colis billet contrat compte référence',
    otherCodeBehind: `postal postale réduction route civil civile pénal avantage barre barres erreur source réservation commande
      client banque guichet parrainage vestimentaire cadeau article produit naf ape insee bic magasin agence`,
    between: 'de du la votre ta le à',
  },
  es: {
    use: 'usa usá use utiliza utilice introduce ingresa introduzca ingrese escribe escriba teclea digita ingresá',
    code: 'código códigos codigo codigos clave solo_uso uso_único',
    password: 'contraseña contrasena',
    proof: 'verific confirm acced',
    number: 'número',
    other: 'importe pedido factura línea calle reserva localizador cliente expediente contrato cuenta envío referencia',
    otherCodeBehind:
      'promocional descuento barras reserva pedido cliente error fuente penal seguimiento producto país sucursal proveedor cupón',
    between: 'su tu',
  },
  pt: {
    use: 'insira digite utilizar utilize introduza digita escreva',
    code: 'utilização_única',
    password: 'senha palavra_passe',
    number: 'numero',
    other: 'valor fatura encomenda protocolo conta',
    otherCodeBehind: 'desconto rastreio rastreamento encomenda erro produto cupom cliente instalação imóvel',
    between: 'do da sua seu',
  },
  it: {
    use: 'inserisci utilizza usa digita immetti inserisca',
    code: 'codice codici monouso',
    other: 'importo ordine fattura via prenotazione pratica spedizione conto',
    otherCodeBehind:
      'sconto fiscale prenotazione ordine errore prodotto iban promozionale cap stradale univoco destinatario tributo articolo avviso ente istat catastale fornitore',
    between: 'di del della tua tuo',
  },
  ca: {
    use: 'utilitzeu utilitza introdueix escriu',
    code: 'codi',
    password: 'contrasenya',
    otherCodeBehind: 'descompte',
  },
  nl: {
    use: 'gebruik voer vul',
    code: 'eenmalig eenmalige',
    password: 'wachtwoord',
    proof: 'bevestig verifi inlog',
    other: 'bedrag bestelling factuur klant zending reservering dossier',
    otherCodeBefore: 'kortings reserverings bestel klant fout bron streep post product land waardebon',
    between: 'van uw',
  },
  sv: {
    use: 'använd ange skriv fyll mata',
    code: 'kod koden engångslösenord',
    password: 'lösenord',
    proof: 'bekräft inlogg verifier',
    other: 'beställning summa kund ärende',
    otherCodeBefore: 'käll streck fel rabatt boknings kund land produkt kampanj',
  },
  da: {
    use: 'brug indtast angiv',
    code: 'kode koden engangsadgangskode',
    password: 'adgangskode',
    proof: 'bekræft',
    other: 'ordre',
    otherCodeBefore: 'rabat kilde kildes streg fejl booking kunde vare',
  },
  nb: {
    use: 'bruk tast oppgi',
    code: 'engangspassord',
    password: 'passord',
    proof: 'bekreft innlogg',
    otherCodeBefore: 'strek feil rabatt kampanje',
  },
  is: { use: 'notaðu', code: 'kóði kóðinn', password: 'lykilorð lykilorðið' },
  fi: {
    use: 'käytä syötä kirjoita',
    code: 'koodi kertakäyttöinen koodilla koodin',
    password: 'salasana salasanasi',
    proof: 'vahvist kirjau',
    other: 'tilaus asiakas varaus lasku',
    otherCodeBefore: 'alennus viiva lähde virhe varaus tilaus tuote asiakas kampanja',
  },
  et: {
    use: 'kasutage sisesta sisestage',
    code: 'kood',
    password: 'parool parooli salasõna',
    proof: 'kinnit',
    otherCodeBefore: 'registri kliendi soodus post toote',
  },
  pl: {
    use: 'wpisz użyj podaj wprowadź',
    code: 'kod kodem kodu jednorazowe jednorazowy',
    password: 'hasło hasłem',
    proof: 'potwierdz weryfik autoryz logow zalog',
    number: 'numer',
    other:
      'kwota zamówienie zamówienia faktura faktury klienta rezerwacji rezerwacja przesyłki zgłoszenia konta rachunek rachunku',
    otherCodeBehind: 'pocztowy rabatowy rezerwacji zamówienia kreskowy błędu promocyjny klienta produktu kraju kuponu',
  },
  cs: {
    use: 'zadejte použijte zadej použij opište vložte',
    code: 'kód kódu jednorázové jednorázový kódem',
    password: 'heslo',
    proof: 'ověř přihl',
    number: 'číslo',
    other: 'objednávka objednávky zákaznické faktury rezervace zásilky účtu',
    otherCodeBefore: 'slevový poštovní chybový čárový rezervační',
    otherCodeBehind: 'rezervace objednávky zboží produktu',
  },
  sk: {
    use: 'zadajte použite zadaj použi vložte',
    proof: 'over[oi] prihl',
    other: 'objednávky zákaznícke',
    otherCodeBefore: 'zľavový',
    code: 'kódom',
  },
  sl: {
    use: 'uporabite vnesite vpišite',
    code: 'koda kodo kode',
    password: 'geslo',
    proof: 'potrd',
    other: 'naročila',
    otherCodeBehind: 'kupca izdelka',
  },
  hr: {
    use: 'koristite koristi upotrijebite unesi unesite upišite',
    code: 'kôd kodom koda',
    password: 'lozinka zaporka',
    proof: 'potvrd',
    number: 'broj',
    other: 'narudžba narudžbe',
    otherCodeBehind: 'kupca proizvoda',
  },
  sr: { use: 'користите', password: 'лозинка', proof: 'потврд', otherCodeBefore: 'поштански', code: 'кодот' },
  hu: {
    use: 'használja használd írja írd adja',
    code: 'kódja kódod kódot kódra egyszeri egyszer_használatos kóddal kódját',
    password: 'jelszó jelszava jelszavad',
    proof: 'megerős ellenőrz belép bejelent',
    number: 'szám',
    other: 'rendelés foglalás',
    otherCodeBefore: 'hiba kupon vonal termék ügyfél vevő kedvezmény',
  },
  ro: {
    use: 'folosiți folosește introduceți introdu utilizează utilizați tastați',
    code: 'cod codul codului unică_folosință codurile',
    password: 'parola parolă',
    number: 'număr numărul',
    other: 'comanda comenzii rezervare rezervării',
    otherCodeBehind: 'poștal promoțional rezervare rezervării comandă client produs reducere fiscal bare',
    proof: 'autentific verific',
  },
  lt: {
    use: 'naudokite įveskite',
    code: 'kodas kodą kodo',
    password: 'slaptažodis',
    proof: 'patvirtin',
    other: 'užsakymo',
    otherCodeBefore: 'mokėtojo kliento įmonės pirkėjo pašto prekės nuolaidos',
  },
  lv: {
    use: 'izmantojiet ievadiet',
    code: 'kods kodu',
    password: 'parole',
    proof: 'apstiprin',
    other: 'pasūtījuma',
    otherCodeBefore: 'klienta pasta atlaižu',
  },
  sq: { use: 'përdorni', code: 'kodi kodin', password: 'fjalëkalimi' },
  el: {
    use: 'χρησιμοποιήστε εισαγάγετε πληκτρολογήστε χρησιμοποίησε',
    code: 'κωδικός κωδικό κωδικού κωδικος κωδικο κωδικούς',
    proof: 'επαλήθ επιβεβα σύνδεσ συνδε',
    number: 'αριθμός',
    other: 'παραγγελία παραγγελίας πελάτη κράτησης',
    otherCodeBehind: 'κράτησης παραγγελίας έκπτωσης πελάτη προϊόντος ηλεκτρονικής πληρωμής',
    otherCodeBefore: 'ταχυδρομικός εκπτωτικός',
  },
  ru: {
    use: 'введите используйте введи укажите',
    code: 'код кода кодом коду коды пин одноразовый',
    password: 'пароль паролем parol',
    proof: 'подтвержд подтверд вход авториз',
    number: 'номер',
    other: 'заказ заказа счет счёт брони бронирования клиента обращения посылки договора',
    otherCodeBefore: 'штрих',
    otherCodeBehind: 'товара товару заказа бронирования брони ошибки скидки клиента региона купона',
  },
  uk: {
    use: 'введіть використайте використовуйте введи вкажіть',
    code: 'коди пін одноразовий',
    proof: 'підтвердж підтверд вход авториз увійт',
    other: 'замовлення рахунок клієнта бронювання',
    otherCodeBehind: 'замовлення бронювання помилки клієнта товару знижки',
  },
  bg: {
    use: 'използвайте въведете въведи',
    code: 'кодът',
    password: 'парола паролата',
    proof: 'потвър',
    other: 'поръчка поръчката',
    otherCodeBehind: 'клиента отстъпка',
  },
  mk: { code: 'кодот', password: 'лозинката' },
  tr: {
    code: 'kodu kodun kodunu kodunuz kodunuzu kullanımlık koduyla',
    password: 'şifre şifreni şifreniz parola parolanız',
    proof: 'doğrula',
    number: 'numarası numaranız',
    other: 'tutar fatura sipariş müşteri rezervasyon',
    otherCodeBefore: 'indirim posta kupon rezervasyon hata ürün müşteri kampanya abone vergi',
  },
  eu: { use: 'erabili', code: 'kodea' },
  cy: { code: 'cod', use: 'defnyddiwch' },
  be: { use: 'выкарыстайце' },
  tg: { code: 'рамз рамзи' },
  kk: { code: 'кодыңыз кодты', password: 'құпиясөз', proof: 'раста' },
  ky: { code: 'кодду кодуңуз' },
  tt: { code: 'кодыгыз' },
  fy: { use: 'brûk', code: 'koade' },
  az: { code: 'kodunuz', password: 'şifrəniz', proof: 'təsdiq' },
  uz: { password: 'parolingiz', proof: 'tasdiq' },
  vi: {
    use: 'nhập dùng dụng',
    code: 'mã ma_kich ma_xac ma_bao',
    password: 'mật_khẩu mat_khau',
    otherCodeBehind: 'đơn giảm bưu đặt khách vận khuyến sản tham',
  },
  id: {
    use: 'masukkan gunakan pakai',
    code: 'kode',
    password: 'kata_sandi sandi',
    number: 'nomor',
    other: 'pesanan pelanggan',
    otherCodeBehind: 'pos diskon pesanan booking promo pemesanan voucher pelanggan produk',
  },
  ms: { password: 'kata_laluan', proof: 'pengesahan', otherCodeBehind: 'tempahan' },
  sw: { code: 'msimbo', password: 'nenosiri', proof: 'uthibitish', number: 'nambari' },
  ar: {
    use: 'استخدم أدخل اكتب',
    code: 'رمز الرمز رمزك كود الكود لمرة_واحدة',
    password: 'كلمة_المرور كلمة_السر كلمة_مرور',
    number: 'رقم',
    other: 'الطلب طلبك المبلغ الحجز العميل',
    otherCodeBehind: 'البريدي الحجز الخصم الطلب المنتج العميل القسيمة',
  },
  fa: {
    code: 'کد کدی',
    password: 'رمز_عبور پسورد',
    number: 'شماره',
    other: 'سفارش مبلغ مشتری رزرو',
    otherCodeBehind: 'پستی تخفیف سفارش رزرو',
  },
  ur: { code: 'کوڈ', password: 'پاسورڈ' },
  he: {
    code: 'קוד הקוד קודך חד_פעמית החד_פעמית חד_פעמי',
    password: 'סיסמה הסיסמה סיסמתך',
    number: 'מספר',
    other: 'הזמנה ההזמנה סכום לקוח',
    otherCodeBehind: 'הזמנה הנחה קופון לקוח מוצר',
    use: 'הזן הקלד',
  },
  hi: { code: 'कोड ओटीपी', password: 'पासवर्ड', number: 'नंबर', other: 'ऑर्डर राशि बुकिंग', otherCodeBefore: 'पिन' },
  bn: { code: 'কোড ওটিপি', password: 'পাসওয়ার্ড', other: 'অর্ডার' },
  ta: { code: 'குறியீடு குறியீட்டை ஓடிபி', password: 'கடவுச்சொல்' },
  te: { code: 'కోడ్ ఓటీపీ', password: 'పాస్‌వర్డ్' },
  kn: { code: 'ಕೋಡ್ ಒಟಿಪಿ' },
  ml: { code: 'കോഡ് ഒടിപി' },
  gu: { code: 'કોડ ઓટીપી' },
  pa: { code: 'ਕੋਡ ਓਟੀਪੀ' },
  ka: { use: 'გამოიყენეთ', code: 'კოდი კოდია კოდის', password: 'პაროლი' },
  hy: { code: 'կոդ կոդը կոդն', password: 'գաղտնաբառը' },
  am: { code: 'ኮድ' },
}
