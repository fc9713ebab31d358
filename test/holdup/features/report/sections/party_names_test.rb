# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::PartyNamesTest < Minitest::Test
  Party = Holdup::Analysis::StallPairs::Party

  class Named < Holdup::View::SectionBase
    include Holdup::Report::Sections::PartyNames

    public :party
  end

  def name_of(party, language = "en")
    Named.new(nil, words: Holdup::View::Words.new(language), limit: 1).party(party)
  end

  def test_requests_and_jobs_have_their_names
    assert_equal "OrdersController#index", name_of(Party.new(name: "OrdersController#index", kind: :request))
    assert_equal "MailJob", name_of(Party.new(name: "MailJob", kind: :job))
  end

  def test_threads_are_said_to_be_threads
    thread = Party.new(name: "#{Holdup::Series::THREAD}main", kind: :account)
    assert_equal "(thread) main", name_of(thread)
  end

  def test_who_has_no_name_has_words_in_each_language
    %i[nobody others unknown].each do |kind|
      found = %w[en ja].map { |language| name_of(Party.new(name: "", kind:), language) }
      assert_equal 2, found.uniq.size, kind
      refute_includes found, ""
    end
    assert_equal "nobody (hand-off)", name_of(Party.new(name: "", kind: :nobody))
  end

  # A name comes from an application, and a terminal obeys what is in it.
  def test_no_name_moves_the_cursor
    refute_includes name_of(Party.new(name: "A\e[2J", kind: :request)), "\e"
  end
end
