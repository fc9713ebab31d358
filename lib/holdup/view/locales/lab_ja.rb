# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # LAB_EN in Japanese; see there.
      LAB_JA = {
        lab_vcpu_title: "計算するジョブ 2 個、%<vcpus>s",
        lab_vcpu_facts: "Sidekiq %<sidekiq>s、Ruby %<ruby>s。ジョブは決まった量の Ruby の計算で、単独では %<alone>s かかります。",
        lab_vcpu_repeats: "各実験を %<count>s 回実行し、最も速い回を採用しました（最も遅い回は %<spread>s 余分にかかりました）。",
        lab_vcpu_full: "%<vcpus>s、%<processes>s：1 プロセスで CPU をすべて使えます。プロセスを増やすには、先に vCPU が必要です。",

        lab_and: "、", lab_progress: "実行中 %<number>s/%<repeats>s：%<experiment>s",
        lab_experiment: "実験", lab_each: "各", lab_in_all: "全体", lab_running: "実行", lab_stalled: "GVL 待ち",
        lab_by_other: "相手原因", lab_cpu: "CPU 率", lab_alarm: "アラーム %<target>s",
        lab_alone: "単独", lab_threads: "2 スレッド", lab_serial: "1 個ずつ", lab_processes: "2 プロセス",
        lab_fires: "発報", lab_silent: "発報せず",
        lab_vcpu_note: "すべて実測値です。各、全体：経過時間。単独のジョブに対する倍率。相手原因：GVL 待ちのうち、もう一方のジョブが引き起こした割合。CPU 率：全 vCPU に対する割合。アラーム：この目標値のオートスケールが発報したか。",

        lab_bars: "各ジョブの状態の推移",
        lab_bars_legend: "# 実行  ! CPU 待ち  x GVL 待ち  ~ io  = lock  z sleep  + native  . キュー待ち",

        lab_meaning: "意味",
        lab_means_threads: "1 プロセスで同時に 2 個：それぞれ %<each>s かかり、%<running>s 実行し、GVL を %<stalled>s 待ちました。その %<share>s はもう一方のジョブが原因です。1 つのプロセスで Ruby を実行できるのは一度に 1 スレッドだけなので、スレッドを増やしても処理量は増えず、両方のジョブが遅れるだけです。",
        lab_means_serial: "1 個ずつ順番に：全体で %<in_all>s（同時に実行すると %<at_once>s）。1 個目はそのおよそ半分の時間で終わりました。この種のジョブでは、並行数を 1 にしても損はありません。",
        lab_means_processes: "2 プロセス：それぞれ %<each>s、全体で %<in_all>s。プロセスごとに GVL があるので、両方のジョブを同時に実行できます。全 vCPU に対する CPU 率：%<cpu>s。",
        lab_means_processes_full: "2 プロセス：それぞれ %<each>s、全体で %<in_all>s。GVL はそれぞれにありますが、%<vcpus>s を分け合うため、代わりに CPU を待ちました（starved）。",
        lab_means_halved: "vCPU を倍にすると CPU 使用率が半分になる理由：1 つのプロセスが計算に使えるのは、vCPU がいくつあっても CPU %<cores>s 個分だけです。それは %<half>s の %<before>s でしたが、%<vcpus>s では %<after>s です。",

        lab_advice: "対策",
        lab_advice_processes: "Sidekiq のプロセスを vCPU と同じ数（ここでは %<needed>s 個）起動し、計算が中心のジョブには、それぞれ少ないスレッドを割り当てます。",
        lab_advice_threads: "高い並行数は、待ち時間がほとんどのジョブのキューに使います。スレッドが役立つのはそこです。",
        lab_advice_scale: "CPU 使用率ではなく、キューの待ち時間でスケールします。CPU 使用率の上限に関係なく増えるためです。",

        lab_off: "%<experiment>s：各 %<each>s、全体 %<in_all>s（理論値は %<expected_each>s と %<expected_in_all>s）。",
        lab_undisturbed: "CPU 待ちを除いて %<undisturbed>s（実測 %<measured>s）",
        lab_starved: "ジョブは最大で時間の %<share>s の間、GVL を保持したまま CPU を割り当てられませんでした（starved）。ほかの処理が CPU を使っていたか、クォータで制限されていました。その時間を除くと、それぞれ %<without>s になります。表と棒は実測値です。負荷のないマシンで、--seconds と --repeat を大きくして、もう一度実行してください。",
        lab_off_slower: "同じ処理に %<ratio>s の CPU 時間がかかりました。2 つの vCPU が 1 つのコアを共有しているか、CPU のクロックが下がったことが考えられます。",
        lab_off_unknown: "負荷のないマシンで、--seconds と --repeat を大きくして、もう一度実行してください。",

        lab_jobs_title: "並行数別のジョブの処理量（Sidekiq %<sidekiq>s、Ruby %<ruby>s、vCPU %<vcpus>s 個）",
        lab_jobs_threads: "スレッド", lab_jobs_measured: "件/秒", lab_jobs_replay: "予測", lab_jobs_error: "誤差", lab_jobs_closed: "式",
        lab_jobs_running: "実行", lab_jobs_stalled: "GVL 待ち",
        lab_jobs_enough: "%<threads>s スレッドで足ります：毎秒 %<rate>s 件。計測した最大値の %<share>s に届く、最も少ない数です。",
        lab_jobs_accuracy: "%<baseline>s スレッドの実行だけから、ほかの並行数を誤差 %<replay>s 以内で予測しました（式 %<closed>s、アムダールの法則 %<amdahl>s）。",
        lab_jobs_facts: "計測したジョブ：%<count>s 件。並行数ごとの実行：%<rounds>s 回（数値はその中央値）。キューは空になっていません。* は予測の元にした実行です。",
        lab_jobs_note: "予測：そのジョブを別のスレッド数でリプレイしたもの。式：閉じたモデル。誤差：同じ巡での予測の誤差。実行、GVL 待ち、p95：ジョブの経過時間についての値。GVL：保持されていた時間の割合。",
        lab_jobs_stopped: "中断：全 %<all>s 回のうち %<left>s 回が残っています。`holdup lab jobs --resume %<path>s` で続けられます。",
        lab_jobs_open_end: "%<threads>s スレッドが試した最大で、GVL は時間の %<share>s で空いています。増やせば、さらに処理できるかもしれません。--concurrency で試してください。",
        lab_jobs_noise: "同じ設定の 2 回の実行（* と ~）の差は最大 %<noise>s でした。それより小さい差は偶然です。",
        lab_jobs_errors: "%<count>s 件のジョブが失敗しました。ほかと同じに数えていますが、短く終わった可能性があります。",
        lab_jobs_cost: "%<threads>s スレッドでは、ジョブの CPU 時間が %<baseline>s スレッドの実行の %<share>s でした。マシンの速さが変わったか、同時に動くジョブの数で CPU コストが変わります。誤差の一部はそのためです。負荷のないマシンで、--rounds を大きくして、もう一度実行してください。",
        lab_jobs_locked: "%<threads>s スレッドでは、時間の %<share>s がロック待ちです（ジョブの中、またはジョブの間。Sidekiq のログにもロックがあります）。そこではそれが限界で、予測には含まれません。"
      }.freeze
    end
  end
end
