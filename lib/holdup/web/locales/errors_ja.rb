# frozen_string_literal: true

module Holdup
  class Web
    module Locales
      # Errors are written in English where they are raised, for programs and terminals. These are those that somebody gets
      # who writes an address or fills in a form: what happened, and what to do.
      ERRORS_JA = {
        /\A(\S+) can't be (.+)\z/m => "「\\1」に \\2 は指定できません。",
        /\Ait takes one of (.+)\z/ => "次のいずれかを指定してください：\\1",
        /\Ait takes a whole number from (\S+) to (\S+)\z/ => "\\1 から \\2 までの整数を指定してください。",
        /\Ait takes a number above 0, (\S+) at most\z/ => "0 より大きく \\1 以下の数を指定してください。",
        /\Ait takes a time from (\S+) to (\S+)\z/ => "\\1 から \\2 までの時間を指定してください。",
        /\Ait takes a number of seconds from (\S+) to (\S+)\z/ => "\\1 から \\2 までの秒数を指定してください。",
        /\Ait takes a share below 1, such as (\S+) or (\S+)\z/ => "\\1 や \\2 のように、1 未満の割合を指定してください。",
        /\Ait takes a time with its unit, such as (.+) or (\S+)\z/ => "\\1、\\2 のように、単位を付けた時間を指定してください。",
        /\Ait takes a time ago \((.+?)\), now, or a date and time \((.+?)\), within ten years\z/ =>
          "過去 10 年以内の時刻を、どれだけ前か（\\1）、now、または日時（\\2）で指定してください。",
        /\Ait takes asc or desc\z/ => "asc または desc を指定してください。",
        /\Adid you mean (.+)\?\z/ => "\\1 ではありませんか。",
        /\A(\S+) is not before (\S+)\z/ => "「\\1」が「\\2」より前になっていません。",
        /\Athere would be nothing to (?:show|compare with); swap or correct them\z/ => "入れ替えるか、修正してください。",
        /\A(\S+) is given in a way that nobody reads\z/ => "\\1 の指定を読み取れません。",
        /\Agive it once, as text\z/ => "文字列で 1 回だけ指定してください。",
        /\A(\S+) is too long or no text\z/ => "\\1 の指定が長すぎるか、文字列ではありません。",
        /\Athe address is too long\z/ => "アドレスが長すぎます。",
        /\Ashorten it\z/ => "短くしてください。",
        /\Athe address is damaged\z/ => "アドレスが壊れています。",
        /\Aits part behind the question mark can't be read\z/ => "「?」の後を読み取れません。",
        /\Athere is no such capture\z/ => "そのキャプチャはありません。",
        /\Achoose one in the list; only the newest (\d+) are kept\z/ => "一覧から選んでください。保存されるのは新しいものから \\1 個だけです。",
        /\Athe capture can't be read \((.+)\)\z/ => "キャプチャを読めません（\\1）。",
        /\Achoose another one, or take a new one\z/ => "別のキャプチャを選ぶか、新しく取得してください。",
        /\Athere is no such unit in this capture\z/ => "このキャプチャに、その処理はありません。",
        /\Achoose it in the table of units\z/ => "処理の表から選んでください。",
        /\Athis page is about one endpoint or job\z/ => "このページは 1 つのエンドポイントまたはジョブについてのものです。",
        /\Achoose it in a table\z/ => "表から選んでください。",
        /\Athere are not two things to compare here\z/ => "比較できるものが 2 つありません。",
        /\Achoose a longer span, two arms or revisions, or give an earlier span\z/ =>
          "期間を長くするか、2 つのアームまたはリビジョンを選ぶか、以前の期間を指定してください。",
        /\Abefore and after belong together\z/ => "「前」と「後」は両方の指定が必要です。",
        /\Achoose both, or none\z/ => "両方を選ぶか、どちらも選ばないでください。",
        /\Abase_since can't be combined with before and after\z/ => "base_since は、before や after と同時に指定できません。",
        /\Aeach of them says both sides; leave one out\z/ => "どちらか一方だけを指定してください。",
        /\Abase_since is missing\z/ => "base_since がありません。",
        /\Asay where the earlier span begins\z/ => "以前の期間の開始を指定してください。",
        /\Anothing in this span is called (.+)\z/m => "この期間に \\1 はありません。",
        /\Achoose again, or a longer span\z/ => "選び直すか、期間を長くしてください。",
        /\Arunning and idle belong together\z/ => "running と idle は両方の指定が必要です。",
        /\Agive both, such as (\S+) and (\S+)\z/ => "\\1 と \\2 のように、両方を指定してください。",
        /\Aa unit that never holds the GVL needs no threads\z/ => "GVL を保持しない処理に、スレッドは必要ありません。",
        /\Ano application of the store is called (.+)\z/m => "ストアに \\1 というアプリケーションはありません。"
      }.freeze
    end
  end
end
