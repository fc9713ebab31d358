# frozen_string_literal: true

module Holdup
  module Reports
    module Locales
      # `holdup compare`.
      COMPARE_JA = {
        compare_title: "Holdup 比較: %<units>s",
        compare_side: "%<side>s: %<label>s、%<units>s %<count>s 件",
        compare_before: "前", compare_after: "後",

        compare_better: "改善: %<moved>s。",
        compare_worse: "悪化: %<moved>s。",
        compare_both: "改善と悪化の両方: %<moved>s。",
        compare_changed: "変化: %<moved>s。",
        compare_none: "このデータで示せる差はありません。示せたはずの差: %<visible>s。",
        compare_same: "何も変わっていません。前と後で次の数字が同じです: %<figures>s。",
        compare_unknown: "判断するにはデータが足りません。%<block>sの区間が前 %<before>s、後 %<after>s 個で、両方に %<needed>s 個必要です。",
        compare_moved: "%<figure>s %<change>s（%<interval>s）",
        compare_visible: "%<figure>s は %<share>s 以上", compare_also: "、",
        compare_unmoved: "次の大きさなら見えたはずの差はありません: %<visible>s。",

        compare_beside_better: "ほかに改善したもの: %<moved>s。", compare_beside_worse: "ほかに悪化したもの: %<moved>s。",

        compare_cause_same: "記録された設定に違いはありません。変化は負荷、データ、隣のプロセス、または偶然によるものです。",
        compare_cause_one: "記録された設定で違うのは %<subject>s だけです。ただし時間帯が別なので、負荷やデータも違うかもしれません。",
        compare_cause_one_together: "記録された設定で違うのは %<subject>s だけで、両方が同時に動いていました。見つかった差はその結果と言えます。",
        compare_cause_many: "%<count>s か所が違います（%<subjects>s）。どれが変化の原因かは分かりません。",
        compare_cause_mixed: "片方に複数の設定が混ざっています。変化の原因は分かりません。",

        compare_mix: "エンドポイントの構成の違いだけで平均経過時間が %<change>s 変わるはずでした。下の数字はそれを除いています。",
        compare_left_out: "相手側にないエンドポイントの処理を除きました。前の %<before>s、後の %<after>s です。",
        compare_boots_unknown: "プロセスの開始時刻が分からないため、ウォームアップがこの数字に含まれます。",
        compare_all_cold: "%<side>s の処理はすべてプロセスの最初の 2 分間のものです。あらかじめ温めていなければ、ウォームアップがこの数字に含まれます。",
        compare_few_processes: "プロセスは前 %<before>s、後 %<after>s 個です。起動ごとの違いは区間に含まれません。",
        compare_short_blocks: "区間は %<block>s ごとのまとまりから求めました。それより長い負荷の揺れは含まれません。",
        compare_few_blocks: "区間は前 %<before>s 個、後 %<after>s 個の %<block>s ごとのまとまりから求めました。負荷生成ツールのような一定の負荷なら 95 %% 区間のとおりです。" \
          "負荷が前の 1 分に似て揺れるときは、真の値を含んだ区間は約 %<held>s %% だけでした。何時間かずつ、または同時に動く 2 つのグループを比べてください。",
        compare_other_times: "同時に動く 2 つのグループなら、別の時間帯の比較より小さな差が見えます。",

        compare_settings: "設定の違い", compare_fact: "項目",
        compare_figures: "数字（各エンドポイントを前と同じ割合で数える）", compare_figure: "数字",
        compare_difference: "差", compare_interval: "95 % 区間", compare_mark_better: "改善", compare_mark_worse: "悪化", compare_mark_same: "同じ",
        compare_wall_p50: "経過時間 p50", compare_wall_p90: "経過時間 p90", compare_wall_p95: "経過時間 p95", compare_wall_p99: "経過時間 p99", compare_wall_mean: "経過時間の平均",
        compare_wait_p50: "待ち+ストール p50", compare_wait_p90: "待ち+ストール p90", compare_wait_p95: "待ち+ストール p95",
        compare_wait_p99: "待ち+ストール p99", compare_wait_mean: "待ち+ストール平均", compare_stalled_mean: "ストール平均", compare_stalled_p99: "ストール p99",
        compare_cpu_unit: "1 件の CPU", compare_cpu_process: "全 CPU / 件数", compare_cpu_share: "CPU 使用率",
        compare_pss: "プロセスの PSS", compare_uss: "プロセスの USS", compare_gc_unit: "1 件の GC", compare_errors: "エラー", compare_throughput: "件/秒",
        compare_figures_note: "パーセンタイルは統合したヒストグラムの値です。区間は、全ホストと全プロセスを含む %<block>sのまとまり（前 %<before>s、後 %<after>s 個）を " \
          "200 回引き直して求めました。件/秒と「全 CPU / 件数」は元の構成のままです。",
        compare_wait_note: "待ち+ストール: パーセンタイルは個別に残した処理（10 分に最大 900 件）、平均は全件の値です。",
        compare_queued_unknown: "スレッドを待った時間が分かりません（%<sides>s）。その側の「待ち+ストール」はストールだけの値です。",
        compare_wait_unknown: "待ち+ストールのパーセンタイルはありません。個別に残した処理が必要で、ストアは 14 日間保存します。",
        compare_cpu_note: "CPU 使用率は負荷に従い、オートスケーラーが目標値に戻します。1 件の CPU を比べてください。",
        compare_memory_note: "PSS と USS: 起動から %<age>s のプロセス、前 %<before>s、後 %<after>s 個。区間はプロセス間のものです。",

        compare_endpoints: "平均経過時間を動かしたエンドポイント", compare_endpoint: "エンドポイント", compare_share: "割合", compare_moved_by: "動き",
        compare_endpoints_note: "動き: 前の割合で数えたときの、全体の平均の変化への寄与です。",
        compare_ages: "プロセスの年齢別", compare_age: "年齢", compare_age_from: "%<from>s 以上",
        compare_units: "件数", compare_units_before: "件数", compare_units_after: "後",
        compare_ages_note: "個別に残した処理の経過時間（元の構成のまま）。デプロイの頻度が変わると、年齢の分布も変わります。",
        compare_warm_up: "除外: プロセスの最初の 2 分間", compare_side_of: "側", compare_then: "以後の %<quantile>s",

        doctor_setting_changed: "%<server>s: 設定が以前と違います: %<facts>s。",
        doctor_drift_stalled_mean_worse: "%<server>s: %<since>s の設定変更より前に比べ、処理のストールが %<change>s 長くなりました。",
        doctor_drift_stalled_mean_worse_fix: "`holdup compare --by setting` でエンドポイントと確かさが分かります。",
        doctor_drift_stalled_mean_better: "%<server>s: %<since>s の設定変更より前に比べ、処理のストールが %<change>s 短くなりました。",
        doctor_drift_cpu_unit_worse: "%<server>s: %<since>s の設定変更より前に比べ、処理の CPU が %<change>s 増えました。",
        doctor_drift_cpu_unit_worse_fix: "`holdup compare --by setting` でエンドポイントと確かさが分かります。",
        doctor_drift_cpu_unit_better: "%<server>s: %<since>s の設定変更より前に比べ、処理の CPU が %<change>s 減りました。",
        doctor_drift_stalled_p99_worse: "%<server>s: %<since>s の設定変更より前に比べ、100 件に 1 件のストール（p99）が %<change>s 長くなりました。平均には現れないことがあります。",
        doctor_drift_stalled_p99_worse_fix: "`holdup compare --by setting --metric wall,wait` でパーセンタイルが分かり、`holdup capture --until` でそのような処理を記録できます。",
        doctor_drift_stalled_p99_better: "%<server>s: %<since>s の設定変更より前に比べ、100 件に 1 件のストール（p99）が %<change>s 短くなりました。",
        doctor_drift_wall_p99_worse: "%<server>s: %<since>s の設定変更より前に比べ、100 件に 1 件の経過時間（p99）が %<change>s 長くなりました。平均には現れないことがあります。",
        doctor_drift_wall_p99_worse_fix: "`holdup compare --by setting --metric wall,wait` でパーセンタイルが分かり、`holdup capture --until` でそのような処理を記録できます。",
        doctor_drift_wall_p99_better: "%<server>s: %<since>s の設定変更より前に比べ、100 件に 1 件の経過時間（p99）が %<change>s 短くなりました。",

        compare_states_title: "Holdup 比較: %<count>s つの状態、%<units>s", compare_state_column: "状態",
        compare_state: "%<label>s: %<units>s %<count>s 件、プロセス %<processes>s 個、%<seconds>s の範囲",
        compare_state_told: "%<base>s に対して %<label>s: %<text>s",
        compare_states_figures: "数字（各エンドポイントを %<base>s と同じ割合で数える）", compare_states_intervals: "変化の 95 % 区間",
        compare_states_note: "%%: %<base>s との差。%<mark>s: 差がない可能性があります。パーセンタイルは統合したヒストグラムの値です。",
        compare_limits: "結論できないこと",
        compare_limits_note: "アプリケーション、マシン、負荷が違えば数字も違います。ここでの測定結果はこの環境のものです。"
      }.freeze
    end
  end
end
