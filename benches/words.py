"""Words to make texts of.

For languages with spaces they come from the vocabulary of o200k_base, whose order is close to how
often words occur: that gives thousands of real words without a file of data or a download. Real text
has rarer words as well: see ``RARE``.
"""

import random
import re
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from chatfold.tokenizers import EncodingTokenizer

RARE = 0.15
"""The share of words that are put together from two parts, so that they are no single token."""

_SCRIPTS = {
    "english": r" ?[a-z]{2,14}",
    "european": r" ?[a-zäöüßéèêàáíóúñçãõåøæœôîùœ]{2,14}",
    "russian": r" ?[\u0430-\u044f\u0451]{2,14}",
    "arabic": r" ?[\u0621-\u064a]{2,12}",
}
_WRITTEN = {
    "chinese": "的 是 在 了 我们 你 他们 有 不 这个 人 也 和 就 都 要 会 可以 对 说 一个 上 中 大 来 到 时候 没有 "
    "问题 工作 时间 公司 系统 数据 使用 需要 如果 因为 所以 但是 已经 现在 今天 天气 北京 上海 城市 学生 老师 "
    "学习 语言 中文 文件 代码 函数 错误 测试 结果 服务 用户 请求 消息 历史 长度 模型 方法 例子 解决 方案 发展 "
    "经济 社会 技术 研究 科学 大学 图书馆 书 电影 音乐 朋友 家庭 孩子 健康 医院 医生 吃饭 水果 茶 咖啡 米饭 "
    "春天 夏天 秋天 冬天 山 河 海 火车 飞机 汽车 道路 安全 简单 困难 重要 不同 相同 快 慢 多 少 新 旧 高 低 "
    "开始 结束 打开 关闭 保存 删除 添加 修改 检查 比较 选择 建议 计划 预算 价格 订单 付款 送货 地址 电话",
    "japanese": "は の を に が で と も から まで です ます した して いる ある ない この その あの これ それ 人 "
    "時間 今日 明日 天気 東京 大阪 会社 仕事 学校 先生 学生 勉強 言葉 日本語 英語 本 映画 音楽 友達 家族 子供 "
    "元気 病院 食べる 飲む 水 お茶 コーヒー ご飯 春 夏 秋 冬 山 川 海 電車 飛行機 道 安全 簡単 大切 新しい 古い "
    "高い 安い 早い 遅い システム データ ファイル コード 関数 エラー テスト 結果 サービス ユーザー リクエスト "
    "メッセージ 履歴 長さ モデル 方法 例えば 問題 解決 計画 予算 値段 注文 支払い 住所 電話 始める 終わる 開く "
    "閉じる 保存 削除 追加 変更 確認 比べる 選ぶ ください ありがとう すみません",
}
SPACELESS = frozenset(_WRITTEN)
_MOST_WORDS = 8_000


class Words(NamedTuple):
    """Words of one language, the frequent ones first, with the ends that make rare ones."""

    whole: list[str]
    ends: list[str]
    weights: list[float]

    def draw(self, rng: random.Random, number: int) -> list[str]:
        """Draw words as text has them: few of them very often, most of them hardly ever."""
        drawn = rng.choices(self.whole, cum_weights=self.weights, k=number)
        return [word + rng.choice(self.ends) if rng.random() < RARE else word for word in drawn]


@cache
def _vocabulary() -> list[str]:
    ranked = sorted(EncodingTokenizer("o200k_base").vocabulary().items(), key=lambda item: item[1])
    return [token.decode("utf-8", "replace") for token, _ in ranked]


@cache
def words(language: str) -> Words:
    """Give the words of a language."""
    if language in _WRITTEN:
        written = _WRITTEN[language].split()
        return Words(
            written, written, list(accumulate(1 / (rank + 20) for rank in range(len(written))))
        )
    pattern = re.compile(_SCRIPTS[language])
    tokens = [token for token in _vocabulary() if pattern.fullmatch(token)]
    ends = [token for token in tokens if token[0] != " " and len(token) < 6]
    whole = [token[1:] for token in tokens if token[0] == " "]
    if language == "european":
        whole = [word for at, word in enumerate(whole) if not word.isascii() or at % 4 == 0]
    whole, ends = whole[:_MOST_WORDS], ends[:2_000]
    return Words(whole, ends, list(accumulate(1 / (rank + 8) for rank in range(len(whole)))))
