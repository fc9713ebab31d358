# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Facts of a JIT that are recorded as words.
      JIT_FACTS_JA = {
        "application" => "アプリケーション", "command line" => "コマンドライン", "enable" => "RubyVM::YJIT.enable", "default" => "既定値",
        "assumed default" => "既定値と推定", "boot" => "Ruby の起動時", "parent" => "fork 前の親プロセス", "process" => "そのプロセス",
        "code" => "コード", "total" => "コードとメタデータの合計"
      }.freeze
      # How something of a server is changed is recorded with the server, in English. These are the phrases that it may have
      # beside what is to be written; longer ones first.
      LEVERS_JA = {
        "preload_app! true to share memory, false to restart in phases" => "メモリを共有するなら preload_app! true、段階的に再起動するなら false",
        "preload_app true: workers share the application's memory" => "preload_app true：ワーカーがアプリケーションのメモリを共有",
        "from then on SIGURG forks workers from worker 0 again" => "以後は SIGURG でワーカー 0 から fork し直す",
        "each step below 0 halves the time slice of 100 ms" => "0 から 1 下げるごとに、100 ms のタイムスライスが半分になる",
        "then a restart of the whole server" => "その後にサーバー全体を再起動",
        "then restart (SIGUSR2 to the master)" => "その後に再起動（マスターに SIGUSR2）",
        "SIGTTIN to the monitor adds one, SIGTTOU takes one away" => "モニターへの SIGTTIN で 1 つ増え、SIGTTOU で 1 つ減る",
        "SIGTTIN to the master adds one, SIGTTOU takes one away" => "マスターへの SIGTTIN で 1 つ増え、SIGTTOU で 1 つ減る",
        "SIGTTIN adds one, SIGTTOU takes one away" => "SIGTTIN で 1 つ増え、SIGTTOU で 1 つ減る",
        "SIGUSR2 to the monitor reforks once" => "モニターへの SIGUSR2 で 1 回 refork する",
        "sidekiqswarm with SIDEKIQ_COUNT=N (Enterprise), else start as many processes" =>
          "sidekiqswarm と SIDEKIQ_COUNT=N（Enterprise）、それ以外は同じ数のプロセスを起動",
        "requests that wait call " => "待つリクエストは次を呼ぶ：",
        "start more processes" => "プロセスを増やして起動",
        "(threads behind the colon)" => "（コロンの後がスレッド数）",
        "then stop and start it" => "その後に停止して起動",
        "then a restart" => "その後に再起動",
        "then restart" => "その後に再起動",
        " for cluster mode" => "（クラスターモードになる）",
        " of the worker for " => "、対象のワーカー：",
        ", that counts" => " があればそれが優先",
        "; where " => "、",
        " is set があれば" => " の設定があれば",
        "; live: " => "、実行中は ",
        "; now: " => "、すぐに変えるには ",
        "before Rails 8.1 " => "Rails 8.1 より前は ",
        "true or false" => "true または false",
        "(one more worker in config/queue.yml)" => "（config/queue.yml にワーカーを 1 つ追加）",
        ", the others with " => "、ほかは ",
        "then SIGHUP to the master" => "その後にマスターへ SIGHUP",
        "the command line" => "コマンドライン",
        "command line" => "コマンドライン",
        "environment " => "環境変数 ",
        ", or " => "、または ",
        " or " => " または "
      }.freeze
    end
  end
end
