# frozen_string_literal: true

class ActivitiesController < ApplicationController
  def index
    @comments = Comment.latest.limit(160)
    @issues = Issue.latest.limit(350)
  end
end
