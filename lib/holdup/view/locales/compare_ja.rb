# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # `holdup compare`.
      COMPARE_JA = {
        compare_title: "Holdup 比較：%<units>s",
        compare_side: "%<side>s：%<label>s、%<units>s %<count>s 件",
        compare_by: "%<fact>s の値を比べています。",
        compare_by_setting: "アーム以外にも違いのある設定を比べています（アームどうしを比べるには --by arm）。",
        compare_by_arm: "アームどうしを比べています。設定のほかの違いは問いません。",
        compare_by_most: "%<count>s 個のうち、%<units>sが最も多い 2 つです。--values でほかのものを選べます。",
        compare_before: "前", compare_after: "後",

        compare_better: "改善：%<moved>s。",
        compare_worse: "悪化：%<moved>s。",
        compare_both: "改善と悪化の両方：%<moved>s。",
        compare_changed: "変化：%<moved>s。",
        compare_none: "差は見つかりませんでした。このデータで見つけられる差：%<visible>s。",
        compare_none_relevant: "問題になる違いはありません。%<small>s の違いは確かにありますが、小さすぎて影響しません。",
        compare_same: "変化はありません。次の数値は前と後で同じです：%<figures>s。",
        compare_unknown: "判断するにはデータが足りません。%<block>s の区間が前に %<before>s 個、後に %<after>s 個ありますが、それぞれ %<needed>s 個必要です。",
        compare_moved: "%<figure>s %<change>s（%<interval>s）",
        compare_visible: "%<figure>s は %<share>s 以上", compare_also: "、",
        compare_unmoved: "次の大きさの差なら見つかったはずですが、見つかりませんでした：%<visible>s。",

        compare_beside_better: "ほかに改善したもの：%<moved>s。", compare_beside_worse: "ほかに悪化したもの：%<moved>s。",

        compare_cause_same: "記録された設定に違いはありません。変化の原因は、負荷、データ、ほかのプロセス、または偶然です。",
        compare_cause_one: "記録された設定で違うのは %<subject>s だけです。ただし時間帯が異なるため、負荷やデータも違う可能性があります。",
        compare_cause_one_together: "記録された設定で違うのは %<subject>s だけで、両方が同時に動いていました。見つかった差は、その結果と言えます。",
        compare_cause_many: "%<count>s か所が違います（%<subjects>s）。どれが変化の原因かは分かりません。",
        compare_cause_mixed: "一方に複数の設定が混ざっています。変化の原因は分かりません。",

        compare_mix: "エンドポイントの構成の違いだけで、平均経過時間が %<change>s 変わるはずでした。下の数値からはその影響を除いています。",
        compare_left_out: "相手側にないエンドポイントの処理を除きました：前の %<before>s、後の %<after>s。",
        compare_boots_unknown: "プロセスの起動時刻が分からないため、下の数値にはウォームアップが含まれます。",
        compare_all_cold: "%<side>s の処理はすべて、プロセスの起動後 2 分以内のものです。事前にウォームアップしていなければ、下の数値にはその影響が含まれます。",
        compare_few_processes: "プロセスは前に %<before>s 個、後に %<after>s 個です。起動ごとの違いは、信頼区間に含まれません。",
        compare_short_blocks: "信頼区間は %<block>s ごとの区切りから求めました。それより長い負荷の変動は含まれません。",
        compare_few_blocks: "信頼区間は、前 %<before>s 個、後 %<after>s 個の %<block>s ごとの区切りから求めました。負荷生成ツールのように一定の負荷なら、信頼区間のとおりです。各分の負荷が前の 1 分に似て変動する場合、実際の値を含む信頼区間は約 %<held>s %% しかありませんでした。数時間ずつ、または同時に動く 2 つのグループを比べてください。",
        compare_other_times: "同時に動く 2 つのグループを比べると、別の時間帯を比べるより小さな差が見つかります。",

        compare_settings: "設定の違い", compare_fact: "項目",
        compare_figures: "数値（エンドポイントの構成を前に合わせた値）", compare_figure: "数値",
        compare_difference: "差", compare_interval: "95 % 信頼区間", compare_mark_better: "改善", compare_mark_worse: "悪化", compare_mark_same: "同じ",
        compare_mark_irrelevant: "微小",
        compare_wall_p50: "経過時間 p50", compare_wall_p90: "経過時間 p90", compare_wall_p95: "経過時間 p95", compare_wall_p99: "経過時間 p99", compare_wall_mean: "経過時間 平均",
        compare_wait_p50: "キュー+GVL待ち p50", compare_wait_p90: "キュー+GVL待ち p90", compare_wait_p95: "キュー+GVL待ち p95",
        compare_wait_p99: "キュー+GVL待ち p99", compare_wait_mean: "キュー+GVL待ち 平均", compare_stalled_mean: "GVL 待ち 平均", compare_stalled_p99: "GVL 待ち p99",
        compare_cpu_unit: "1 件の CPU 時間", compare_cpu_process: "全 CPU 時間 / 件数", compare_cpu_share: "CPU 使用率",
        compare_pss: "プロセスの PSS", compare_uss: "プロセスの USS", compare_gc_unit: "1 件の GC 時間", compare_errors: "エラー", compare_throughput: "毎秒の件数",
        compare_figures_note: "パーセンタイルは統合したヒストグラムの値です。信頼区間は、全ホストと全プロセスを含む %<block>s ごとの区切り（前 %<before>s 個、後 %<after>s 個）を 200 回リサンプリングして求めました。「毎秒の件数」と「全 CPU 時間 / 件数」は、元の構成のままの値です。",
        compare_irrelevant_note: "微小: 確かに違いはあるものの影響しない差。1 % 未満、または経過時間・待ち時間で 20 us、CPU・GC で 5 us、メモリで 1 MB に満たないもの。",
        compare_wait_note: "キュー+GVL待ち：パーセンタイルは 1 件ずつ保存した処理（10 分あたり最大 900 件）の値、平均は全件の値です。",
        compare_queued_unknown: "スレッドを待った時間が分かりません（%<sides>s）。その側の「キュー+GVL待ち」は GVL 待ちだけの値です。",
        compare_wait_unknown: "キュー+GVL待ちのパーセンタイルはありません。1 件ずつ保存した処理が必要で、保存期間は 14 日です。",
        compare_cpu_note: "CPU 使用率は負荷に応じて変わり、オートスケールによって目標値に戻ります。1 件の CPU 時間を比べてください。",
        compare_memory_note: "PSS と USS：起動から %<age>s のプロセス（前 %<before>s 個、後 %<after>s 個）。信頼区間はプロセス間のものです。",

        compare_endpoints: "平均経過時間を変化させたエンドポイント", compare_endpoint: "エンドポイント", compare_share: "件数の割合", compare_moved_by: "寄与",
        compare_endpoints_note: "寄与：件数の割合を前のままとしたときの、全体の平均の変化に対する寄与です。",
        compare_ages: "プロセスの起動からの経過時間別", compare_age: "経過時間", compare_age_from: "%<from>s 以上",
        compare_units: "件数", compare_units_before: "件数（前）", compare_units_after: "（後）",
        compare_ages_note: "1 件ずつ保存した処理の経過時間（元の構成のまま）です。デプロイの頻度が変わると、プロセスの経過時間の分布も変わります。",
        compare_warm_up: "除外した処理：プロセスの起動後 2 分以内", compare_side_of: "側", compare_then: "以後の %<quantile>s",

        doctor_setting_changed: "%<server>s：設定が以前と異なります：%<facts>s。",
        doctor_drift_stalled_mean_worse: "%<server>s：%<since>s の設定変更の前に比べ、GVL 待ちが %<change>s 長くなりました。",
        doctor_drift_stalled_mean_worse_fix: "`holdup compare --by setting` で、どのエンドポイントか、どの程度確かかが分かります。",
        doctor_drift_stalled_mean_better: "%<server>s：%<since>s の設定変更の前に比べ、GVL 待ちが %<change>s 短くなりました。",
        doctor_drift_cpu_unit_worse: "%<server>s：%<since>s の設定変更の前に比べ、1 件の CPU 時間が %<change>s 増えました。",
        doctor_drift_cpu_unit_worse_fix: "`holdup compare --by setting` で、どのエンドポイントか、どの程度確かかが分かります。",
        doctor_drift_cpu_unit_better: "%<server>s：%<since>s の設定変更の前に比べ、1 件の CPU 時間が %<change>s 減りました。",
        doctor_drift_stalled_p99_worse: "%<server>s：%<since>s の設定変更の前に比べ、100 件に 1 件の GVL 待ち（p99）が %<change>s 長くなりました。平均には現れないことがあります。",
        doctor_drift_stalled_p99_worse_fix: "`holdup compare --by setting --metric wall,wait` でパーセンタイルが分かり、`holdup capture --until` でそのような処理を記録できます。",
        doctor_drift_stalled_p99_better: "%<server>s：%<since>s の設定変更の前に比べ、100 件に 1 件の GVL 待ち（p99）が %<change>s 短くなりました。",
        doctor_drift_wall_p99_worse: "%<server>s：%<since>s の設定変更の前に比べ、100 件に 1 件の経過時間（p99）が %<change>s 長くなりました。平均には現れないことがあります。",
        doctor_drift_wall_p99_worse_fix: "`holdup compare --by setting --metric wall,wait` でパーセンタイルが分かり、`holdup capture --until` でそのような処理を記録できます。",
        doctor_drift_wall_p99_better: "%<server>s：%<since>s の設定変更の前に比べ、100 件に 1 件の経過時間（p99）が %<change>s 短くなりました。",

        compare_states_title: "Holdup 比較：%<count>s つの状態、%<units>s", compare_state_column: "状態",
        compare_state: "%<label>s：%<units>s %<count>s 件、プロセス %<processes>s 個、%<seconds>s間の範囲",
        compare_state_told: "%<base>s に対して %<label>s：%<text>s",
        compare_states_figures: "数値（エンドポイントの構成を %<base>s に合わせた値）", compare_states_intervals: "変化の 95 % 信頼区間",
        compare_states_note: "%%：%<base>s との差。%<mark>s：差がないか、小さすぎて影響しない可能性があります。パーセンタイルは統合したヒストグラムの値です。",
        compare_limits: "ここから言えないこと",
        compare_limits_note: "アプリケーション、マシン、負荷が違えば数値も変わります。ここでの計測結果はこの環境だけのものです。"
      }.freeze
    end
  end
end
