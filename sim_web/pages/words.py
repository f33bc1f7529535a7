"""The words of the languages of pages; these lists are our own and come from no other text."""

from __future__ import annotations

from random import Random

LANGUAGES = ("en", "ru", "de", "zh", "ja")

_COMMON = {
    "en": (
        "the of and in to is for on that with as at by from this are we it new one our "
        "all page can more was first other time year work after part place people between "
        "water street house school river library garden report number city letter history "
        "paper winter summer door window light record music road village family market "
        "answer question teacher student method result morning evening measure bridge "
        "island weather machine picture station language country field stone paint glass "
        "journal meeting member office open early late small large quiet public local "
        "common simple certain several"
    ),
    "ru": (
        "и в на с по для что как это от из за при не мы они год время работа часть место "
        "люди вода улица дом школа река сад отчёт число город письмо история бумага зима "
        "лето дверь окно свет запись музыка дорога деревня семья рынок ответ вопрос "
        "учитель студент метод результат утро вечер мера мост остров погода машина "
        "картина станция язык страна поле камень краска стекло журнал собрание член новый "
        "первый ранний поздний малый большой тихий общий простой между после перед также "
        "только было будет может"
    ),
    "de": (
        "der die das und in zu ist für auf mit als von aus bei wir es neu ein alle kann "
        "mehr war erste andere Zeit Jahr Arbeit Teil Ort Menschen Wasser Straße Haus "
        "Schule Fluss Bücherei Garten Bericht Zahl Stadt Brief Geschichte Papier Winter "
        "Sommer Tür Fenster Licht Musik Dorf Familie Markt Antwort Frage Lehrer Schüler "
        "Methode Ergebnis Morgen Abend Maß Brücke Insel Wetter Gerät Bild Bahnhof Sprache "
        "Land Feld Stein Farbe Glas früh spät klein groß ruhig öffentlich einfach mehrere "
        "zwischen über nach"
    ),
    "zh": (
        "我们 他们 这个 一个 时间 工作 地方 人们 水 街道 房子 学校 河流 图书馆 花园 报告 "
        "数字 城市 信件 历史 纸张 冬天 夏天 门 窗户 光 记录 音乐 道路 村庄 家庭 市场 回答 "
        "问题 老师 学生 方法 结果 早上 晚上 桥 岛 天气 机器 图片 车站 语言 国家 田野 石头 "
        "颜色 玻璃 会议 成员 办公室 新的 第一 早 晚 小 大 安静 公共 简单 许多 之间 之后 "
        "可以 已经 还有 在 是 有 和 的"
    ),
    "ja": (
        "私たち この 一つ 時間 仕事 場所 人々 水 道 家 学校 川 図書館 庭 報告 数 町 手紙 "
        "歴史 紙 冬 夏 扉 窓 光 記録 音楽 村 家族 市場 答え 質問 先生 学生 方法 結果 朝 "
        "夕方 橋 島 天気 機械 絵 駅 言葉 国 野原 石 色 硝子 会議 会員 新しい 最初 早い "
        "遅い 小さい 大きい 静か 公共 簡単 多く の は が を に と も から まで です"
    ),
}

COMMON = {language: tuple(text.split()) for language, text in _COMMON.items()}
"""The words of each language, the frequent ones first."""

_PARTS = {
    "en": ("bra cor del fen gal hir jun kel lum mor nav pel qui ros sel tor ul ven wyn zar"),
    "ru": ("бра кор дел фен гал хир жун кел лум мор нав пел рос сел тор вен зар чур мыс щег"),
    "de": ("brü kor del fen gal hör jun kel lum mor nav pel ros säl tor ulm ven wil zar schlo"),
    "zh": ("铜 鹰 潮 砂 蓝 枫 鼓 弦 茶 冰 炉 帆 磁 镜 谷 盐 藤 雁 棋 丝 墨 雾 琴 麦"),
    "ja": ("カ キ ク サ シ ス タ チ ト ナ ニ ノ ハ ヒ マ ミ ラ リ ル ロ"),
}

_SYLLABLES = {language: tuple(text.split()) for language, text in _PARTS.items()}

PER_THEME = 12
"""The number of words of a theme in a language."""

_FOLDERS = (
    "about archive articles books catalogue contacts departments docs events gallery "
    "guides history journal lectures library news notes people projects reports "
    "research services students texts"
)
FOLDERS = tuple(_FOLDERS.split())
"""The first parts of paths; there are `numbers.FOLDERS` of them."""

FORBIDDEN_FOLDERS = ("internal", "private", "staff", "tmp")
"""The folders that robots.txt may forbid; other pages are never in them."""

_PATH_WORDS = (
    "annual autumn bridge chapter city collection course current early evening "
    "exhibition field first garden group harbour index island letter list map "
    "material meeting method model museum new old overview page paper part plan "
    "programme river school second spring summer winter"
)
PATH_WORDS = tuple(_PATH_WORDS.split())
"""The later parts of paths; there are `numbers.WORDS` of them."""


def theme_words(theme: int, language: str) -> tuple[str, ...]:
    """Return the words of a theme, which other themes and texts are unlikely to contain."""
    chance = Random(f"theme {theme} {language}")
    parts = _SYLLABLES[language]
    length = 4
    return tuple("".join(chance.choices(parts, k=length)) for _ in range(PER_THEME))


def joined(words: list[str], language: str) -> str:
    """Return words joined into a sentence."""
    if language in ("zh", "ja"):
        return "".join(words) + "。"
    text = " ".join(words)
    return text[0].upper() + text[1:] + "."
