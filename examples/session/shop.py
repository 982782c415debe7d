"""The bookshop of the story: what its tables hold, and in which languages."""

# ruff: noqa: RUF001  (letters of many languages)

from dataclasses import dataclass


@dataclass(frozen=True)
class Entity:
    """A table, and the class that stands for it."""

    name: str
    table: str
    fields: tuple[tuple[str, str], ...]

    @property
    def class_name(self) -> str:
        """The name of its class."""
        return "".join(word.capitalize() for word in self.name.split("_"))


def _entity(name: str, table: str, fields: str) -> Entity:
    pairs = [field.split(":") for field in fields.split()]
    return Entity(name, table, tuple((each, kind) for each, kind in pairs))


ENTITIES = {
    entity.name: entity
    for entity in (
        _entity(
            "order",
            "orders",
            "number:text customer_id:int placed_at:time status:text currency:text total:money "
            "channel:text note:text",
        ),
        _entity(
            "order_line",
            "order_lines",
            "order_id:int isbn:text title:text quantity:int unit_price:money tax_rate:ratio "
            "gift_wrapped:bool",
        ),
        _entity(
            "shipment",
            "shipments",
            "order_id:int carrier:text tracking_code:text handed_over_at:time weight_grams:int "
            "recipient:text",
        ),
        _entity(
            "refund",
            "refunds",
            "order_id:int reason:text amount:money requested_at:time approved_by:text",
        ),
        _entity(
            "gift_note",
            "gift_notes",
            "order_id:int language:text message:text signed_by:text printed:bool",
        ),
        _entity(
            "address",
            "customer_addresses",
            "customer_id:int recipient:text street:text city:text postal_code:text country:text",
        ),
        _entity(
            "voucher",
            "vouchers",
            "code:text issued_at:time expires_at:time amount:money redeemed_by:int",
        ),
        _entity(
            "invoice",
            "invoices",
            "order_id:int number:text issued_at:time net:money tax:money pdf_key:text",
        ),
        _entity(
            "carrier_event",
            "carrier_events",
            "shipment_id:int code:text happened_at:time place:text raw_payload:json",
        ),
        _entity(
            "reservation",
            "stock_reservations",
            "isbn:text order_id:int quantity:int warehouse:text reserved_until:time",
        ),
    )
}

NOTES = (
    ("en", "Happy birthday, you old bookworm! 🎂📚 Don't read it all in one night.", "Maeve"),
    ("de", "Für Omi zum Achtzigsten – möge der Lesesessel nie kalt werden. 🌷", "Dein Jürgen"),
    ("ja", "ご結婚おめでとうございます！🎉 二人の本棚がいつまでも賑やかでありますように。", "由紀"),
    ("ar", "كل عام وأنتِ بخير يا أمي، قراءة ممتعة مع فنجان القهوة ☕️", "ليلى"),
    ("zh", "祝你考试顺利！📖 等放假了我们一起去书店坐一个下午。", "小陈"),
    (
        "pt",
        "Parabéns, Tiago! Que este livro te leve mais longe do que o ônibus das seis. 🚌",
        "Rafa",
    ),
    ("ru", "С новосельем! Пусть первая книга на новой полке будет эта. 🏡", "Ира"),
    ("en", "For my favourite 👩‍🏫 – thank you for the whole school year.", "Class 4b"),
)

RECIPIENTS = (
    ("Maeve O'Sullivan", "14 Herbert Park Lane", "Dublin", "D04 K2X7", "IE"),
    ("Jürgen Großmann", "Große Bleichen 21", "Hamburg", "20354", "DE"),
    ("田中 由紀", "中央区北浜東２丁目１−１６", "大阪市", "540-0031", "JP"),
    ("ليلى حسن", "١٢ شارع الجزيرة، الزمالك", "القاهرة", "11211", "EG"),
    ("陈薇", "徐汇区衡山路８８１号３楼", "上海市", "200030", "CN"),
    ("Rafael de Souza Araújo", "Rua Harmonia, 345 – Vila Madalena", "São Paulo", "05435-000", "BR"),
    ("Ирина Петрова", "ул. Кабанбай батыра, 83, кв. 12", "Алматы", "050010", "KZ"),
    ("Siobhán & Niño Álvarez", "Calle Huertas 7, 2.º izq.", "Madrid", "28014", "ES"),
)

BOOKS = (
    ("9780141187761", "The Master and Margarita"),
    ("9783518188231", "Der Zauberberg"),
    ("9784101001012", "こころ"),
    ("9789770931790", "موسم الهجرة إلى الشمال"),
    ("9787020002207", "红楼梦"),
    ("9788535914849", "Grande Sertão: Veredas"),
    ("9785170906307", "Анна Каренина"),
    ("9780571334650", "Normal People"),
)

CARRIERS = ("DHL", "An Post", "ヤマト運輸", "Aramex", "顺丰速运", "Correios", "Казпочта")
CHANNELS = ("web", "app", "store", "phone")
STATUSES = ("placed", "paid", "packed", "shipped", "delivered", "cancelled")
CURRENCIES = ("EUR", "JPY", "EGP", "CNY", "BRL", "KZT")
WAREHOUSES = ("HAM-1", "OSA-2", "GRU-1", "SHA-3")
REASONS = (
    "arrived damaged",
    "Falsches Buch geliefert",
    "落丁がありました",
    "وصل متأخراً بعد العيد",
    "重复下单",
    "Presente duplicado",
    "Передумал",
)
