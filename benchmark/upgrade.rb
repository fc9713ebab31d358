# frozen_string_literal: true

require "holdup/loader"
require "stringio"
require_relative "support/bench"
require_relative "support/shop_sweep"

module Bench
  # The report that articles about an upgrade print, from measurements of the storefront: YJIT off, at boot
  # and after boot on two Rubies, then the older against the newer. It is what `holdup lab jit --store` and
  # `holdup compare --states` give.
  class Upgrade
    # Four boots of each state, which are in four to eight minutes of the clock: enough for intervals. Twelve
    # minutes in all.
    SPANS = {rounds: 4, seconds: 10, warm_up_s: 10}.freeze
    QUICK = {rounds: 1, seconds: 5, warm_up_s: 5}.freeze
    STATES = ["off", "at boot", "after boot"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @spans = quick ? QUICK : SPANS
    end

    # @return [Result]
    # @raise [Failure]
    def call
      Shop.open do |shop|
        sweep = ShopSweep.new(shop, **@spans)
        unless sweep.other_ruby
          raise Failure, "there is no second Ruby to compare with: `bin/setup --all` builds it"
        end
        @from_s = Time.now.to_i / 60 * 60
        @store = File.join(shop.folder, "upgrade.sqlite3")
        @versions = [sweep.other_ruby.version, RUBY_VERSION]
        @result = Holdup::Lab::Sweep::SweepReport.new(measure(sweep))
        @states = Holdup::Lab::Jit::States.new(@result).to_h
        Result.new(title: "Ruby #{@versions.join(" and ")}", about: [about, *sections].join("\n\n"),
          tables: [])
      end
    end

    private

    def measure(sweep)
      store = Holdup::Store.open(@store)
      sweep.call(store:)
    ensure
      store&.close
    end

    def about
      "The storefront in Puma, one process, under an open load of #{ShopSweep::RATE} requests a second: " \
      "#{@spans[:rounds]} round(s) of #{@spans[:seconds]} s for each state in changing order, " \
        "each in a fresh server after a warm-up of at most #{@spans[:warm_up_s]} s, which is in no " \
        "figure but \"cold\" and \"warm after\"."
    end

    def sections
      old, new = @versions
      [
        "### What the lab saw",
        lab,
        *@versions.flat_map { |version|
          [
            "### Ruby #{version}: three states of YJIT",
            compared(STATES.map { |state| [version, state] })
          ]
        },
        *STATES.values_at(0, 2).flat_map { |state|
          [
            "### From Ruby #{old} to #{new}, YJIT #{state}",
            compared([[old, state], [new, state]])
          ]
        }
      ]
    end

    def lab
      below(Holdup::View::Markdown.new(Holdup::Lab::Jit::Comparison::Report.new(
        @result,
        Holdup::Lab::Jit::Comparison.new(@result)
      ).page).call)
    end

    # @param states [Array<(String, String)>] Ruby and YJIT
    def compared(states)
      labelled = states.map { |version, state|
        "#{(states.map(&:first).uniq.size > 1) ? "Ruby #{version}" : state}=#{fingerprint(version, state)}"
      }
      out = StringIO.new
      err = StringIO.new
      console = Holdup::CLI::Console.new(out:, err:, env: ENV.to_h, clock: Holdup::Clock.new)
      status = Holdup::CLI.new(console:).run(["compare", "--store", @store, "--since",
        Time.at(@from_s).strftime("%FT%T"), "--format", "markdown", "--lang", "en", "--states", *labelled])
      status.zero? ? below(out.string) : raise(Failure, err.string)
    end

    def fingerprint(version, state)
      name = (version == RUBY_VERSION) ? state : "#{state}, Ruby #{version}"
      @states.fetch(name) { raise Failure, "nothing was measured of #{name}" }
    end

    # Its headings stand below ours; the first one says nothing that ours does not.
    def below(markdown)
      markdown.sub(/\A# .*\n+/, "").gsub(/^#(?=#)/, "###").strip
    end
  end
end
